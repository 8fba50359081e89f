import { Type, type Static } from "typebox";
import { jsonCodec } from "#shared/contracts/json-codec.ts";
import { literals } from "#shared/contracts/literals.ts";
import { Uuid } from "#shared/contracts/uuid.ts";

/** A result's text is cut to this many bytes of UTF-8 before it is stored, whatever the provider would take. */
export const MAX_RESULT_BYTES = 256 * 1024;
/** Even if every character has to be escaped, such arguments fit a message on a server with default limits. */
export const MAX_ARGUMENTS_CHARS = 128 * 1024;
/** A runner answers after this long at the latest, with `running` if need be; so that a dead one is noticed soon. */
export const REPLY_WITHIN_MS = 5_000;

/** executor → tool-runner: one call, named by its id and fenced by the caller's lease epoch. Asking again is harmless. */
export const ToolCallRequest = Type.Object({
  call_id: Uuid,
  session_id: Uuid,
  execution_id: Uuid,
  epoch: Type.Integer({ minimum: 1 }),
  /** "server.tool" */
  name: Type.String({ minLength: 3, maxLength: 200 }),
  /** As the model wrote them; JSON text for structured calls. */
  arguments: Type.String({ maxLength: MAX_ARGUMENTS_CHARS }),
  /** The runner ends the call after this long and says so. Not a time of day: clocks differ. */
  timeout_ms: Type.Integer({ minimum: 1, maximum: 2_147_483_647 }),
  /** Longer results are cut to this many UTF-16 units, and to MAX_RESULT_BYTES anyway. */
  max_result_chars: Type.Integer({ minimum: 1_000 }),
});
export type ToolCallRequest = Static<typeof ToolCallRequest>;

export const TOOL_CALL_FAILURES = [
  /** The tool could not be run, or threw. */
  "exception",
  "timeout",
  /** Called off by the session's owner. */
  "cancelled",
  /** Its runner died or stopped in mid-call; a read-only call may be made again, under another id. */
  "interrupted",
  /** The same for a call that may have changed the world: it must not be made again. */
  "outcome_unknown",
] as const;
export type ToolCallFailure = (typeof TOOL_CALL_FAILURES)[number];

const ToolResult = Type.Object({
  kind: Type.Literal("result"),
  /** Cut, with a marker, and storable. */
  content: Type.String(),
  /** True when the tool itself reported failure; the content then says what. */
  is_error: Type.Boolean(),
});
const ToolFailure = Type.Object({ kind: literals(TOOL_CALL_FAILURES), message: Type.String() });

/** How a call that was started ended: recorded once, the same for everyone who asks. */
export type ToolCallOutcome = Static<typeof ToolResult> | Static<typeof ToolFailure>;

export const REFUSALS = [
  /** Another executor owns the session by now, or nobody does. */
  "not_owner",
  /** The session is being cancelled. */
  "session_cancelled",
  /** The id was given up before it ran; the call needs another id. */
  "abandoned",
  /** The id belongs to a call of another session or tool. */
  "id_taken",
] as const;

const ToolCallAnswer = Type.Union([
  ToolResult,
  ToolFailure,
  /** Over, but too long for a message: the outcome is in the call's row. */
  Type.Object({ kind: Type.Literal("stored") }),
  /** Not over yet: ask again. */
  Type.Object({ kind: Type.Literal("running") }),
  /** Not started here, for now: ask again in a moment. */
  Type.Object({ kind: Type.Literal("busy"), message: Type.String() }),
  /** Never started, and never will be by this request. */
  Type.Object({ kind: Type.Literal("unknown_tool") }),
  Type.Object({ kind: Type.Literal("refused"), reason: literals(REFUSALS) }),
]);
export type ToolCallAnswer = Static<typeof ToolCallAnswer>;

/** tool-runner → executor. */
export const ToolCallReply = Type.Object({ call_id: Uuid, answer: ToolCallAnswer });
export type ToolCallReply = Static<typeof ToolCallReply>;

/** executor → tool-runners, best effort: whoever runs this call ends it at once. */
export const ToolCallCancel = Type.Object({
  call_id: Uuid,
  /** The canceller's; one that was overtaken by another owner has no say any more. */
  epoch: Type.Integer({ minimum: 1 }),
  /** `deadline`: the caller's time is over, which is recorded as a timeout. */
  reason: literals(["cancelled", "deadline"]),
});
export type ToolCallCancel = Static<typeof ToolCallCancel>;

export const toolCallRequestCodec = jsonCodec("tool call request", ToolCallRequest);
export const toolCallReplyCodec = jsonCodec("tool call reply", ToolCallReply);
export const toolCallCancelCodec = jsonCodec("tool call cancel", ToolCallCancel);
