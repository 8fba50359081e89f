import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { CheckedClaim, Conclusion, CONCLUSION_STATUSES } from "#shared/contracts/conclusion.ts";
import { literals } from "#shared/contracts/literals.ts";
import { TERMINAL_STATUSES } from "#shared/contracts/statuses.ts";

const OrNull = <S extends Parameters<typeof Type.Union>[0][number]>(schema: S) =>
  Type.Union([schema, Type.Null()]);
const Count = Type.Integer({ minimum: 0 });

/** A tool call of an investigation, as the report shows it. */
const CalledTool = Type.Object({
  server: Type.String(),
  tool: Type.String(),
  /** As JSON, cut. */
  arguments: Type.String(),
  /** Null if it succeeded. */
  error: OrNull(Type.String()),
});
export type CalledTool = Static<typeof CalledTool>;

/** A model that was asked for, and the one that its provider says has answered. */
export const AnsweringModel = Type.Object({ asked: Type.String(), answered: Type.String() });
export type AnsweringModel = Static<typeof AnsweringModel>;

/** What is known of an investigation in a world beside that. */
export const WorldFacts = Type.Object({
  /** Null if the agent stated none as data. */
  conclusion: OrNull(
    Type.Object({
      /** As the check of its quotes has it. */
      status: literals(CONCLUSION_STATUSES),
      /** Null if none could be read. */
      body: OrNull(Conclusion),
      /** Of each quote. */
      checked: Type.Array(CheckedClaim),
    }),
  ),
  claims: Count,
  /** Those whose quotes were found. */
  verified_claims: Count,
  /** Calls that the world was asked. */
  calls: Count,
  /** Calls that it knows nothing of, by tool. */
  misses: Type.Record(Type.String(), Count),
  /** Calls that it answered as a tool that knows everything. */
  absent: Count,
  /** Calls of tools that do not exist. */
  unknown_tools: Count,
  /** Values that were masked in its answers. */
  masked: Count,
});
export type WorldFacts = Static<typeof WorldFacts>;

/** What a cell's investigation came to. Assertions are checked against it when a report is made, so that they can change later. */
export const CellFacts = Type.Object({
  status: literals(TERMINAL_STATUSES),
  error: OrNull(Type.String()),
  conclusion: Type.String(),
  summary: OrNull(Type.String()),
  /** Null without a judge, or if it gave none. */
  score: OrNull(Type.Integer()),
  /** What the judge said, or why it gave no score; null without a judge. */
  judge: OrNull(Type.String()),
  tags: Type.Array(Type.String()),
  /** With the judge; null if a model has no price. */
  cost_usd: OrNull(Type.Number()),
  /** Of the investigation, from its start to its end. */
  duration_ms: Count,
  /** The cell's budget, if it ended an agent early; null if it did not. */
  limited_by_usd: OrNull(Type.Number()),
  /** Without the judge. */
  input_tokens: Count,
  output_tokens: Count,
  llm_calls: Count,
  /** With the judge's, each pair once; absent from results of before. */
  models: Type.Optional(Type.Array(AnsweringModel)),
  tool_calls: Type.Array(CalledTool),
  world: Type.Optional(WorldFacts),
});
export type CellFacts = Static<typeof CellFacts>;
