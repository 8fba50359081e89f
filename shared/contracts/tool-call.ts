import { uuidFrom } from "#shared/uuid-from.ts";
import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { jsonCodec } from "#shared/contracts/json-codec.ts";
import { literals } from "#shared/contracts/literals.ts";
import { TOOL_EFFECTS } from "#shared/contracts/tool-list.ts";
import { Uuid } from "#shared/contracts/uuid.ts";

/** The most that a conversation gets of a result, in bytes of UTF-8, even if the provider accepts more. */
export const MAX_RESULT_BYTES = 256 * 1024;
/** Maximum length of a call's arguments: even with every character escaped, they fit the server's default max_payload. */
export const MAX_ARGUMENTS_CHARS = 128 * 1024;
/** The calls of one answer that are carried out: the first ones. */
export const MAX_CALLS_PER_ANSWER = 32;
/** A runner replies within this time, with `running` if need be, so that a dead runner is noticed soon. */
export const REPLY_WITHIN_MS = 5_000;

/** The position in an execution's conversation at which a call was requested. Its id derives from that: see `toolCallId`. */
export const CallPosition = Type.Object({
  /** The number of the answer that requested it, from 1. */
  iteration: Type.Integer({ minimum: 1 }),
  /** Its place among the calls of that answer, from 0. */
  index: Type.Integer({ minimum: 0 }),
  /** Counts from 1. */
  attempt: Type.Integer({ minimum: 1 }),
});
export type CallPosition = Static<typeof CallPosition>;

/** executor → tool-runner: one call, identified by its id and fenced by the caller's lease epoch. Idempotent. */
export const ToolCallRequest = Type.Object({
  call_id: Uuid,
  session_id: Uuid,
  execution_id: Uuid,
  epoch: Type.Integer({ minimum: 1 }),
  /** The source of `call_id`, which is checked. */
  position: CallPosition,
  /** "server.tool" */
  name: Type.String({ minLength: 3, maxLength: 200 }),
  /** The effect in the execution's listing; the runner takes the stricter of this and its own. */
  effect: Type.Optional(literals(TOOL_EFFECTS)),
  /** The hash of the tool in the execution's listing: another definition is refused with `tool_changed`. */
  definition_hash: Type.Optional(Type.String({ maxLength: 128 })),
  /** The arguments as the model wrote them; JSON text for structured calls. */
  arguments: Type.String({ maxLength: MAX_ARGUMENTS_CHARS }),
  /** The runner ends the call after this long as `timeout`. A duration, not a time of day, because clocks differ. */
  timeout_ms: Type.Integer({ minimum: 1, maximum: 2_147_483_647 }),
  /** The limit of a result: a window of at most this many UTF-16 code units and MAX_RESULT_BYTES is shown. */
  max_result_chars: Type.Integer({ minimum: 1_000 }),
});
export type ToolCallRequest = Static<typeof ToolCallRequest>;

export const TOOL_CALL_FAILURES = [
  /** The tool could not be run, or threw. */
  "exception",
  "timeout",
  /** Cancelled by the session's owner. */
  "cancelled",
  /** The runner died or stopped during a read-only call, which may be repeated under another id. */
  "interrupted",
  /** The runner died or stopped during a call that may have had side effects: it must not be repeated. */
  "outcome_unknown",
] as const;
export type ToolCallFailure = (typeof TOOL_CALL_FAILURES)[number];

const ToolResult = Type.Object({
  kind: Type.Literal("result"),
  /** Postgres-safe; where only a part is shown, it says so. */
  content: Type.String(),
  /** True when the tool itself reported an error; `content` then describes it. */
  is_error: Type.Boolean(),
});
const ToolFailure = Type.Object({ kind: literals(TOOL_CALL_FAILURES), message: Type.String() });

/** Outcome of a call that was started: recorded once, and the same in every reply. */
export type ToolCallOutcome = Static<typeof ToolResult> | Static<typeof ToolFailure>;

/** The reason why a call never starts: repeating the request, by any executor, gets the same answer. */
export const CLAIM_REFUSALS = [
  /** The session's stored configuration does not give the execution this tool. */
  "tool_not_allowed",
  /** The tool may change things, or its effect is unknown, and the policy does not give it to this agent. */
  "denied_by_policy",
  /** A person must agree to this call with these arguments, and has not. */
  "not_approved",
  /** Its answer requests more than MAX_CALLS_PER_ANSWER before it. */
  "too_many_calls",
  /** The id is not that of a call in the execution's newest answer. */
  "not_requested",
] as const;
export type ClaimRefusal = (typeof CLAIM_REFUSALS)[number];

const REFUSAL_REASONS = [
  /** Another executor owns the session, or none does. */
  "not_owner",
  /** The session is being cancelled. */
  "session_cancelled",
  /** The id was abandoned before the call ran; the call needs another id. */
  "abandoned",
  /** The id belongs to a call of another session or tool. */
  "id_taken",
  /** The server now describes the tool in another way than the execution's listing. */
  "tool_changed",
  ...CLAIM_REFUSALS,
] as const;

const ToolCallAnswer = Type.Union([
  ToolResult,
  ToolFailure,
  /** Ended, but the outcome is too long for a message: read it from the call's row. */
  Type.Object({ kind: Type.Literal("stored") }),
  /** Not ended yet: ask again. */
  Type.Object({ kind: Type.Literal("running") }),
  /** Not started, because this runner has no free slot or no database now: ask again shortly. */
  Type.Object({ kind: Type.Literal("busy"), message: Type.String() }),
  /** Not started; repeating the request cannot help. */
  Type.Object({ kind: Type.Literal("unknown_tool") }),
  Type.Object({ kind: Type.Literal("refused"), reason: literals(REFUSAL_REASONS) }),
]);
export type ToolCallAnswer = Static<typeof ToolCallAnswer>;

/** tool-runner → executor. */
export const ToolCallReply = Type.Object({
  call_id: Uuid,
  answer: ToolCallAnswer,
  /** The runner that holds the execution's connections, to which its next calls are sent first. */
  runner: Type.Optional(Uuid),
});
export type ToolCallReply = Static<typeof ToolCallReply>;

/** executor → tool-runners, best effort: the runner of this call ends it immediately. */
export const ToolCallCancel = Type.Object({
  call_id: Uuid,
  /** The sender's lease epoch; a cancel from an older epoch than the call's is ignored. */
  epoch: Type.Integer({ minimum: 1 }),
  /** `deadline`: the caller's deadline has passed; recorded as a timeout. */
  reason: literals(["cancelled", "deadline"]),
});
export type ToolCallCancel = Static<typeof ToolCallCancel>;

/** executor → tool-runners, best effort: what servers keep for this execution can be ended. */
export const ToolRelease = Type.Object({ session_id: Uuid, execution_id: Uuid });
export type ToolRelease = Static<typeof ToolRelease>;

/** tool-runner → executor, best effort: what a running call has reached. */
export const ToolCallProgress = Type.Object({
  call_id: Uuid,
  progress: Type.Number(),
  total: Type.Optional(Type.Number()),
  /** Masked. */
  message: Type.Optional(Type.String({ maxLength: 1_000 })),
});
export type ToolCallProgress = Static<typeof ToolCallProgress>;

export const toolCallRequestCodec = jsonCodec("tool call request", ToolCallRequest);
export const toolCallReplyCodec = jsonCodec("tool call reply", ToolCallReply);
export const toolCallCancelCodec = jsonCodec("tool call cancel", ToolCallCancel);
export const toolReleaseCodec = jsonCodec("tool release", ToolRelease);
export const toolCallProgressCodec = jsonCodec("tool call progress", ToolCallProgress);

/** The id of a call by its place in an execution's conversation: the same for every owner, so that the call runs once. */
export function toolCallId(
  executionId: string,
  { iteration, index }: Pick<CallPosition, "iteration" | "index">,
): string {
  return uuidFrom(`tool:${iteration}:${index}`, executionId);
}

/** The id of a call's nth attempt, from 1. */
export function attemptId(callId: string, attempt: number): string {
  return attempt === 1 ? callId : uuidFrom(`attempt:${attempt}`, callId);
}
