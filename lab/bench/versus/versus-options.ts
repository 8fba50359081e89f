import { parseArgs } from "node:util";
import { errorMessage } from "#shared/errors.ts";
import { UsageError } from "../../../scripts/tarsy/command.ts";
import { wholeNumber } from "../support/read-number-options.ts";

/** The options of `versus`. */
export interface VersusOptions {
  /** The comparison to run; all of them if undefined. */
  readonly name: string | undefined;
  /** Measured rounds of each comparison. */
  readonly rounds: number;
  /** Units of work in each round of each arm. */
  readonly sessions: number;
  /** Executor processes of our arms. */
  readonly executors: number;
  /** Sessions that one executor of `commits` runs concurrently. */
  readonly slots: number;
  /** The model of `commits` waits so long before each answer, in milliseconds. */
  readonly modelMs: number;
  /** In each session of `commits`, one in each answer of the model before the last. */
  readonly toolCalls: number;
  /** The other checkout of `commits`. */
  readonly against: string | undefined;
  readonly jsonFile: string | undefined;
}

/** An even number of rounds runs each arm first equally often. */
const DEFAULTS = { rounds: 8, sessions: 200, executors: 1, slots: 20, modelMs: 0, toolCalls: 0 };

/** The help text of the options. */
export const VERSUS_OPTIONS_HELP = `  --rounds N       measured rounds of each comparison, 1 to 1000 (${DEFAULTS.rounds}), after one to warm up
  --sessions N     units of work in each round of each arm, 1 to 100000 (${DEFAULTS.sessions})
  --executors N    executor processes of our arms, 1 to 16 (${DEFAULTS.executors})
  --slots N        commits: sessions that one executor runs at a time, 1 to 50 (${DEFAULTS.slots})
  --model-ms N     commits: the model waits so long before each answer, 1 to 60000 (it answers at once)
  --tool-calls N   commits: tool calls in each session, one after another, 1 to 100 (none)
  --against DIR    commits: the other checkout, with its own node_modules
  --json FILE      also writes the figures of every round to FILE as JSON; the names end in the unit
  --help           prints this`;

/** Parses the arguments after `versus`. Throws UsageError naming the option and its allowed values. */
export function parseVersusOptions(args: readonly string[], names: readonly string[]): VersusOptions {
  const { values, positionals } = parse(args);
  const [name, ...surplus] = positionals;
  if (name !== undefined && !names.includes(name)) {
    throw new UsageError(`no comparison "${name}"; the comparisons are: ${names.join(", ")}`);
  }
  if (surplus[0] !== undefined) throw new UsageError(`surplus argument "${surplus[0]}"; name one comparison`);
  return {
    name,
    rounds: wholeNumber("--rounds", values.rounds, { fallback: DEFAULTS.rounds, max: 1_000 }),
    sessions: wholeNumber("--sessions", values.sessions, { fallback: DEFAULTS.sessions, max: 100_000 }),
    executors: wholeNumber("--executors", values.executors, { fallback: DEFAULTS.executors, max: 16 }),
    slots: wholeNumber("--slots", values.slots, { fallback: DEFAULTS.slots, max: 50 }),
    modelMs: wholeNumber("--model-ms", values["model-ms"], { fallback: DEFAULTS.modelMs, max: 60_000 }),
    toolCalls: wholeNumber("--tool-calls", values["tool-calls"], { fallback: DEFAULTS.toolCalls, max: 100 }),
    against: nonEmpty("--against", values.against),
    jsonFile: nonEmpty("--json", values.json),
  };
}

function parse(args: readonly string[]) {
  const text = { type: "string" } as const;
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        rounds: text,
        sessions: text,
        executors: text,
        slots: text,
        "model-ms": text,
        "tool-calls": text,
        against: text,
        json: text,
      },
    });
  } catch (error) {
    const reason = errorMessage(error).split(/\.\s/u)[0]?.replace(/\.$/u, "");
    throw new UsageError(`${reason}; versus --help lists the options`, { cause: error });
  }
}

function nonEmpty(option: string, text: string | undefined): string | undefined {
  if (text === "") throw new UsageError(`${option} is empty; give it a path`);
  return text;
}
