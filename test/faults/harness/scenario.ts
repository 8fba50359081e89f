import type { FaultLab, LabOptions } from "./fault-lab.ts";
import type { Chance } from "./chance.ts";

/** One measured value; the unit is for people. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
}

/** One thing that had to be true. */
export interface Finding {
  readonly what: string;
  readonly ok: boolean;
  /** What was seen instead, where it was not true. */
  readonly detail: string;
}

/** What a scenario gets from the runner, and where it leaves what it saw. */
export interface ScenarioContext {
  readonly random: Chance;
  readonly signal: AbortSignal;
  /** True in the selection that `npm test` runs. */
  readonly short: boolean;
  /** Starts the system; the runner checks and stops it afterwards. Once per scenario. */
  readonly lab: (options: Omit<LabOptions, "random" | "say">) => Promise<FaultLab>;
  /** Shows a line of progress. */
  readonly say: (line: string) => void;
  readonly figure: (name: string, value: number, unit: string) => void;
  /** Notes whether something is true, and goes on either way. */
  readonly expect: (what: string, ok: boolean, detail?: string) => void;
  /** LLM and read-only tool calls that may have been made again for other reasons than a change of owner. */
  readonly allowRepeats: (calls: number) => void;
}

/** A fault, under which the system must keep its promises. */
export interface Scenario {
  /** As in `--only`. */
  readonly name: string;
  /** One line: what is done to the system. */
  readonly summary: string;
  /** Whether `npm test` runs it, in its short form. */
  readonly inShortRun: boolean;
  run(context: ScenarioContext): Promise<void>;
}
