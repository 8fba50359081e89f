import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { literals } from "#shared/contracts/literals.ts";

/** The ways to answer a session's tool calls: they are made, or answered from the recording. */
export const TOOLS_MODES = ["live", "recorded"] as const;
export type ToolsMode = (typeof TOOLS_MODES)[number];

/**
 * The sources from which an executor takes the outcomes of calls; `edited`: calls are made, but for the one whose result a fork has edited;
 * `world`: a world answers them.
 */
export const TOOL_SOURCES = [...TOOLS_MODES, "edited", "world"] as const;
export type ToolSource = (typeof TOOL_SOURCES)[number];

/**
 * The end of a tool call, beside the text that its record has: `mcp_interactions.outcome`. With the place of the call, from which its
 * id derives.
 */
const CallOutcomeKind = Type.Object({
  iteration: Type.Integer({ minimum: 0 }),
  index: Type.Integer({ minimum: 0 }),
  kind: literals(["result", "unknown_tool", "refused", "exception"]),
  /** The text is the operator's or this program's, not a tool's. */
  own_text: Type.Optional(Type.Literal(true)),
  is_timeout: Type.Optional(Type.Literal(true)),
  may_have_run: Type.Optional(Type.Literal(true)),
  /** The reason that the person wrote who refused the call. */
  reason: Type.Optional(Type.String()),
});
export type CallOutcomeKind = Static<typeof CallOutcomeKind>;

/** The outcome of a recorded call: `recorded_tool_calls.outcome`. It gives back everything that the message to the model depends on. */
export const RecordedOutcome = Type.Union([
  Type.Object({
    kind: Type.Literal("result"),
    content: Type.String(),
    is_error: Type.Boolean(),
    own_text: Type.Optional(Type.Literal(true)),
  }),
  Type.Object({
    kind: literals(["unknown_tool", "refused"]),
    message: Type.String(),
    reason: Type.Optional(Type.String()),
  }),
  Type.Object({
    kind: Type.Literal("exception"),
    message: Type.String(),
    is_timeout: Type.Optional(Type.Literal(true)),
    may_have_run: Type.Optional(Type.Literal(true)),
  }),
]);
export type RecordedOutcome = Static<typeof RecordedOutcome>;

/** The whole text of a large result: `recorded_tool_calls.kept`. `handle` is the id that the result's window names. */
export const RecordedKept = Type.Object({
  handle: Type.String({ minLength: 1 }),
  bytes: Type.Integer(),
  lines: Type.Integer(),
  content: Type.String(),
});
export type RecordedKept = Static<typeof RecordedKept>;
