import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { Duration, Name, Text, Whole } from "#shared/agent-config/schemas/schema-parts.ts";
import { CONCLUSION_CONTRACT } from "#shared/contracts/conclusion.ts";
import { MAX_SCORE } from "#shared/contracts/scoring.ts";

/** The most cases, variants, repetitions and cells of a suite: what a report can still show. */
export const SUITE_LIMITS = { cases: 1_000, variants: 20, repetitions: 100, cells: 10_000 } as const;

/** How the session of a cell can end. `cancelled` is not among them: an evaluation cancels no session. */
const STATUSES = ["completed", "failed", "timed_out"] as const;
const ANSWERS = [CONCLUSION_CONTRACT, "text"] as const;
const Usd = Type.Number({ minimum: 0, maximum: 1_000_000 });

/** One assertion: a mapping with exactly one of these keys. */
export const AssertionEntry = Type.Object({
  /** The conclusion contains the text, whatever its case. */
  contains: Type.Optional(Text),
  not_contains: Type.Optional(Text),
  /** The conclusion has a match of the regular expression, in RE2's syntax. */
  matches: Type.Optional(Text),
  tool_called: Type.Optional(
    Type.Object(
      {
        /** `server.tool`, or the tool's name alone. */
        name: Name,
        /** Arguments that the call must have, compared as text. */
        arguments: Type.Optional(Type.Record(Type.String(), Text)),
        min: Type.Optional(Whole(1)),
        max: Type.Optional(Whole(1)),
      },
      { shorthand: "name" },
    ),
  ),
  tool_not_called: Type.Optional(Name),
  max_cost_usd: Type.Optional(Usd),
  max_duration: Type.Optional(Duration),
  max_llm_calls: Type.Optional(Whole(0)),
  status: Type.Optional(Type.Enum(STATUSES)),
  min_score: Type.Optional(Whole(0, MAX_SCORE)),
});
export type AssertionEntry = Static<typeof AssertionEntry>;

/** The keys of which an assertion has one. */
export const ASSERTION_KINDS = [
  "contains",
  "not_contains",
  "matches",
  "tool_called",
  "tool_not_called",
  "max_cost_usd",
  "max_duration",
  "max_llm_calls",
  "status",
  "min_score",
] as const satisfies readonly (keyof AssertionEntry)[];

const Assertions = Type.Array(AssertionEntry);

/** Cassettes or worlds by a path or a pattern, with what is asserted of them alone. */
const CasesEntry = Type.Object({ path: Name, assertions: Type.Optional(Assertions) }, { shorthand: "path" });

/** What is compared: a configuration, or a change to one. */
const VariantEntry = Type.Object({
  /** By default that of the suite. */
  config_dir: Type.Optional(Name),
  /**
   * `recorded`: the chain that the cassette was recorded with, on `llm_provider`. `configured`: the one that the directory has for the type of
   * the alert, the default for cassettes. A world is investigated by a single agent by default.
   */
  chain: Type.Optional(Type.Enum(["configured", "recorded"] as const)),
  llm_provider: Type.Optional(Name),
  model: Type.Optional(Name),
  /** Replaces the instructions of every agent of the chain's stages. */
  custom_instructions: Type.Optional(Text),
  max_iterations: Type.Optional(Whole(1, 1_000)),
});
export type VariantEntry = Static<typeof VariantEntry>;

/** The shape of a suite's file. */
export const SuiteFile = Type.Object({
  name: Type.Optional(Name),
  /** Where variants without a directory of their own, and the judge, find their providers; by default that of `npm start`. */
  config_dir: Type.Optional(Name),
  /** One of both at least. */
  cassettes: Type.Optional(Type.Array(CasesEntry, { minItems: 1 })),
  worlds: Type.Optional(Type.Array(CasesEntry, { minItems: 1 })),
  /** Of the worlds, only so many: `by` draws from each folder in proportion, and equal seeds draw the same. */
  sample: Type.Optional(
    Type.Object({
      size: Whole(1, SUITE_LIMITS.cases),
      seed: Type.Optional(Whole(0)),
      by: Type.Optional(Type.Enum(["category"] as const)),
    }),
  ),
  /** What agents in worlds answer with: by default their conclusion as data, or text alone, which the judge maps to causes. */
  answer: Type.Optional(Type.Enum(ANSWERS)),
  variants: Type.Record(Type.String(), VariantEntry),
  repetitions: Type.Optional(Whole(1, SUITE_LIMITS.repetitions)),
  tools: Type.Optional(Type.Enum(["recorded"] as const)),
  assertions: Type.Optional(Assertions),
  judge: Type.Optional(Type.Object({ llm_provider: Name }, { shorthand: "llm_provider" })),
  /** What all cells may cost, the judge included. */
  budget_usd: Type.Optional(Type.Number({ minimum: 0.000_001, maximum: 1_000_000 })),
  /** What one cell may cost. */
  cell_budget_usd: Type.Optional(Type.Number({ minimum: 0.000_001, maximum: 1_000_000 })),
  parallel: Type.Optional(Whole(1, 32)),
  /** The longest investigation of a cell. */
  timeout: Type.Optional(Duration),
});
export type SuiteFile = Static<typeof SuiteFile>;
