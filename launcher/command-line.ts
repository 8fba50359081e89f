import { parseArgs } from "node:util";
import { nearestName } from "#shared/agent-config/suggest-name.ts";
import { errorMessage } from "#shared/errors.ts";
import type { LocalModelOptions } from "./find-local-model.ts";
import { LaunchError } from "./launch-error.ts";

export type CommandLine = {
  /** Deletes the data of the embedded servers first. */
  readonly reset: boolean;
  /** Only those who can read the token's file may use TARSy. */
  readonly private: boolean;
  /** Restarts services whose files change. */
  readonly dev: boolean;
  /** Runs the services' sources instead of their bundles. */
  readonly sources: boolean;
  /** The number of executors, from 1. */
  readonly executors: number;
  readonly configDir: string | undefined;
  /** A model without an account that answers; undefined for the configuration's own providers. */
  readonly localModel: LocalModelOptions | undefined;
};

const maxExecutors = 16;

function readExecutors(text: string): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= 1 && value <= maxExecutors) return value;
  throw new LaunchError(`--executors is "${text}"; it must be a whole number from 1 to ${maxExecutors}.`, {
    exitCode: 2,
  });
}

const OPTIONS = {
  reset: { type: "boolean", default: false },
  private: { type: "boolean", default: false },
  dev: { type: "boolean", default: false },
  sources: { type: "boolean", default: false },
  executors: { type: "string", default: "1" },
  "config-dir": { type: "string" },
  ollama: { type: "string" },
  "llm-url": { type: "string" },
  model: { type: "string" },
} as const;

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      strict: true,
      allowPositionals: false,
      options: OPTIONS,
    }).values;
  } catch (error) {
    const reason = errorMessage(error).split(/\.\s/)[0]?.replace(/\.$/, "");
    const unknown = /^Unknown option '--(?<name>[^']*)'/u.exec(reason ?? "")?.groups?.["name"];
    const nearest = unknown === undefined ? undefined : nearestName(unknown, Object.keys(OPTIONS));
    const hint = nearest === undefined ? "" : `, did you mean --${nearest}`;
    throw new LaunchError(`${reason}${hint}; npm start -- --help lists the options.`, {
      exitCode: 2,
      cause: error,
    });
  }
}

/** Only one of `--ollama`, `--llm-url` and `--config-dir` says which model answers. */
function readLocalModel({
  ollama,
  "llm-url": url,
  model,
  "config-dir": configDir,
}: ReturnType<typeof parse>): LocalModelOptions | undefined {
  const given = Object.entries({ "--ollama": ollama, "--llm-url": url, "--config-dir": configDir });
  const names = given.filter(([, value]) => value !== undefined).map(([name]) => name);
  const isLocal = ollama !== undefined || url !== undefined;
  if (isLocal && names.length > 1) throw wrong(`${names.join(" and ")} cannot be used together`);
  if (model !== undefined && url === undefined) {
    throw wrong("--model needs --llm-url; for Ollama write --ollama MODEL");
  }
  for (const [name, value] of Object.entries({ "--ollama": ollama, "--model": model })) {
    if (value?.trim() === "") throw wrong(`${name} is empty; name a model`);
  }
  if (ollama !== undefined) return { server: "ollama", model: ollama };
  if (url === undefined) return undefined;
  const { protocol } = URL.parse(url) ?? {};
  if (protocol === "http:" || protocol === "https:") return { server: "url", url, model };
  throw wrong(`--llm-url is "${url}"; it must be an http or https URL such as http://localhost:8080/v1`);
}

function wrong(message: string): LaunchError {
  return new LaunchError(`${message}; npm start -- --help lists the options.`, { exitCode: 2 });
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
  const { reset } = values;
  const localModel = readLocalModel(values);
  return {
    reset,
    private: values.private,
    dev: values.dev,
    sources: values.sources || values.dev,
    executors: readExecutors(values.executors),
    configDir,
    localModel,
  };
}
