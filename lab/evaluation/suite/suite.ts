import type { RE2JS } from "re2js";
import type { CONCLUSION_CONTRACT } from "#shared/contracts/conclusion.ts";
import type { TerminalStatus } from "#shared/contracts/statuses.ts";

/** An assertion of a suite, ready to be checked. */
export type Assertion =
  | { readonly kind: "contains" | "not_contains"; readonly text: string }
  | { readonly kind: "matches"; readonly text: string; readonly expression: RE2JS }
  | {
      readonly kind: "tool_called";
      readonly name: string;
      readonly arguments: Readonly<Record<string, string>>;
      readonly min: number;
      readonly max: number | undefined;
    }
  | { readonly kind: "tool_not_called"; readonly name: string }
  | { readonly kind: "max_cost_usd"; readonly usd: number }
  | { readonly kind: "max_duration"; readonly text: string; readonly ms: number }
  | { readonly kind: "max_llm_calls"; readonly calls: number }
  | { readonly kind: "status"; readonly status: TerminalStatus }
  | { readonly kind: "min_score"; readonly score: number };

/** A case of a suite: an alert and the answers of its tools. */
export interface SuiteCase {
  readonly kind: "cassette" | "world";
  /** Unique in the suite: that of the file without its ending, or where several have it, its path from the suite. */
  readonly name: string;
  /** Absolute. */
  readonly file: string;
  /** Those of the suite and its own. */
  readonly assertions: readonly Assertion[];
}

/** What is compared, under the name that tables and reports show. */
export interface Variant {
  readonly name: string;
  /** Absolute; undefined for the directory that `npm start` would use. */
  readonly configDir: string | undefined;
  /** Undefined for the default of a case. */
  readonly chain: "configured" | "recorded" | undefined;
  readonly provider: string | undefined;
  readonly model: string | undefined;
  readonly instructions: string | undefined;
  readonly maxIterations: number | undefined;
}

/** A suite's file, checked, with its cases found and its defaults filled in. */
export interface Suite {
  readonly name: string;
  /** Absolute. */
  readonly file: string;
  /** Its SHA-256, in hexadecimal. */
  readonly hash: string;
  readonly cases: readonly SuiteCase[];
  /** What agents in worlds answer with: their conclusion as data, or text, which the judge maps to causes. */
  readonly answer: typeof CONCLUSION_CONTRACT | "text";
  /** In the order of the file; the others are compared with the first. */
  readonly variants: readonly Variant[];
  readonly repetitions: number;
  /** The judge's provider, and the directory that has it; undefined: nothing is scored. */
  readonly judge: { readonly provider: string; readonly configDir: string | undefined } | undefined;
  readonly budgetUsd: number | undefined;
  readonly cellBudgetUsd: number | undefined;
  readonly parallel: number;
  readonly timeoutMs: number;
}
