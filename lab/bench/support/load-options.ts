import { parseArgs } from "node:util";
import { errorMessage } from "#shared/errors.ts";
import { UsageError } from "../../../scripts/tarsy/command.ts";
import { wholeNumber } from "./read-number-options.ts";

/** The options of a benchmark that runs sessions through the whole system. */
export interface LoadOptions {
  /** Sessions in each measured load. */
  readonly sessions: number;
  /** Executor processes. */
  readonly executors: number;
  /** How long the model waits before each of its answers. */
  readonly modelMs: number;
  /** The file for the figures as JSON, if any. */
  readonly jsonFile: string | undefined;
  /** Whether to count SQL statements, which slows Postgres a little. */
  readonly statements: boolean;
  /** The directory for CPU profiles of every service, if any. */
  readonly cpuProfileDir: string | undefined;
}

/** The help text of these options. */
export const loadOptionsHelp = (
  sessions: number,
): string => `  --sessions N     sessions in each load, 1 to 100000 (${sessions})
  --executors N    executor processes, 1 to 16 (1)
  --model-ms N     the model waits so long before each answer, 1 to 60000 (it answers at once)
  --json FILE      also writes the figures to FILE as JSON; the names end in the unit
  --statements     also counts SQL statements per session (slows Postgres a little)
  --cpu-prof DIR   every service writes a CPU profile to DIR (slows everything: do not compare the figures)
  --help           prints this`;

/** Parses the arguments after a benchmark's name. Throws UsageError naming the option and its allowed values. */
export function parseLoadOptions(args: readonly string[], { sessions }: { sessions: number }): LoadOptions {
  const values = parse(args);
  return {
    sessions: wholeNumber("--sessions", values.sessions, { fallback: sessions, max: 100_000 }),
    executors: wholeNumber("--executors", values.executors, { fallback: 1, max: 16 }),
    modelMs:
      values["model-ms"] === undefined
        ? 0
        : wholeNumber("--model-ms", values["model-ms"], { fallback: 1, max: 60_000 }),
    jsonFile: nonEmpty("--json", values.json),
    statements: values.statements,
    cpuProfileDir: nonEmpty("--cpu-prof", values["cpu-prof"]),
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        sessions: { type: "string" },
        executors: { type: "string" },
        "model-ms": { type: "string" },
        json: { type: "string" },
        statements: { type: "boolean", default: false },
        "cpu-prof": { type: "string" },
      },
    }).values;
  } catch (error) {
    const reason = errorMessage(error).split(/\.\s/)[0]?.replace(/\.$/, "");
    throw new UsageError(`${reason}; NAME --help lists the options`, {
      cause: error,
    });
  }
}

function nonEmpty(option: string, text: string | undefined): string | undefined {
  if (text === "") throw new UsageError(`${option} is empty; give it a path`);
  return text;
}
