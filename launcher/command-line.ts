import { parseArgs } from "node:util";
import { errorMessage } from "#shared/errors.ts";
import { LaunchError } from "./launch-error.ts";

export type CommandLine = {
  readonly help: boolean;
  /** Deletes the data of the embedded servers first. */
  readonly reset: boolean;
  /** Only those who can read the token's file may use TARSy. */
  readonly private: boolean;
  /** The number of executors, from 1. */
  readonly executors: number;
  readonly configDir: string | undefined;
};

const maxExecutors = 16;

function readExecutors(text: string): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= 1 && value <= maxExecutors) return value;
  throw new LaunchError(`--executors is "${text}"; it must be a whole number from 1 to ${maxExecutors}.`, {
    exitCode: 2,
  });
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      strict: true,
      allowPositionals: false,
      options: {
        help: { type: "boolean", short: "h", default: false },
        reset: { type: "boolean", default: false },
        private: { type: "boolean", default: false },
        executors: { type: "string", default: "1" },
        "config-dir": { type: "string" },
      },
    }).values;
  } catch (error) {
    const reason = errorMessage(error).split(/\.\s/)[0]?.replace(/\.$/, "");
    throw new LaunchError(`${reason}; npm start -- --help lists the options.`, {
      exitCode: 2,
      cause: error,
    });
  }
}

/**
 * Parses the arguments after `npm start --`.
 * @throws LaunchError with exit code 2, naming the option that is unknown or has an invalid value.
 */
export function parseCommandLine(args: readonly string[]): CommandLine {
  const values = parse(args);
  const configDir = values["config-dir"];
  if (configDir === "") {
    throw new LaunchError("--config-dir is empty; name a directory with tarsy.yaml in it.", { exitCode: 2 });
  }
  const { help, reset } = values;
  return { help, reset, private: values.private, executors: readExecutors(values.executors), configDir };
}
