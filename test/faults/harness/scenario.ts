import type { FaultLab, LabOptions } from "./fault-lab.ts";
import type { ScenarioRandom } from "./scenario-random.ts";

/** One measured value with its unit, for the printed results. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
}

/** One checked condition. */
export interface Finding {
  readonly what: string;
  readonly ok: boolean;
  /** What was observed if the condition does not hold. */
  readonly detail: string;
}

/** What the runner gives to a scenario, and where the scenario reports its results. */
export interface ScenarioContext {
  readonly random: ScenarioRandom;
  readonly signal: AbortSignal;
  /** Whether to run the short form. */
  readonly short: boolean;
  /** Starts the system, once per scenario. The runner checks and stops it afterwards. */
  readonly lab: (options: Omit<LabOptions, "random">) => Promise<FaultLab>;
  /** Prints a line of progress. */
  readonly progress: (line: string) => void;
  readonly figure: (name: string, value: number, unit: string) => void;
  /** Records whether a condition holds, and continues either way. */
  readonly expect: (what: string, ok: boolean, detail?: string) => void;
  /** Allows this many repeated LLM and read-only tool calls beyond one for each change of owner. */
  readonly allowRepeats: (calls: number) => void;
  /** Allows warnings and errors in the log of NATS that the scenario provokes. */
  readonly allowComplaints: (...patterns: readonly RegExp[]) => void;
}

/** A fault under which the system must keep its promises. */
export interface Scenario {
  /** As in `--only`. */
  readonly name: string;
  /** What is done to the system, in one line. */
  readonly summary: string;
  run(context: ScenarioContext): Promise<void>;
}
