import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { literals } from "#shared/contracts/literals.ts";
import { LLM_INTERACTION_TYPES } from "#shared/contracts/statuses.ts";
import { Uuid } from "#shared/contracts/uuid.ts";

const TextOrNull = Type.Union([Type.String(), Type.Null()]);
const IntegerOrNull = Type.Union([Type.Integer(), Type.Null()]);

/** A call that a model asked for. */
const AskedToolCall = Type.Object({
  id: Type.String(),
  name: Type.String(),
  /** JSON text, as the model wrote it; masked where it had secrets. */
  arguments: Type.String(),
});

/** A message of an execution's conversation. */
export const RecordedMessage = Type.Object({
  sequence_number: Type.Integer({ minimum: 1 }),
  role: literals(["system", "user", "assistant", "tool"]),
  content: Type.String(),
  tool_calls: Type.Optional(Type.Array(AskedToolCall)),
  tool_call_id: Type.Optional(Type.String()),
  tool_name: Type.Optional(Type.String()),
  /** The session's newest event after the commit that stored it; null if not known. */
  seq: IntegerOrNull,
});
export type RecordedMessage = Static<typeof RecordedMessage>;

/** A tool as it was bound to calls: the description with its marks. */
export const BoundTool = Type.Object({
  name: Type.String(),
  description: Type.String(),
  /** JSON Schema as JSON text. */
  parameters_schema: Type.String(),
});
export type BoundTool = Static<typeof BoundTool>;

/** The model of a call. */
export const ModelSettings = Type.Object({
  provider: Type.String(),
  type: Type.String(),
  backend: Type.String(),
  model: Type.String(),
  max_tool_result_tokens: Type.Integer(),
  /** 0 for the provider's own limit. */
  max_output_tokens: Type.Integer(),
  native_tools: Type.Record(Type.String(), Type.Boolean()),
});
export type ModelSettings = Static<typeof ModelSettings>;

/** The input of a call: the execution's conversation up to a message, or messages of its own. */
const RecordedInput = Type.Object({
  /** The sequence number of the last message that was sent; null for a call with messages of its own. */
  through: IntegerOrNull,
  messages: Type.Optional(Type.Array(Type.Object({ role: Type.String(), content: Type.String() }))),
  /** True if the execution's tools were bound. */
  has_tools: Type.Boolean(),
  /** The names of those that were, in their order; absent if all were. */
  tools: Type.Optional(Type.Array(Type.String())),
  /** Null if it is not known any more: then the call has no hash either. */
  model: Type.Union([ModelSettings, Type.Null()]),
});
export type RecordedInput = Static<typeof RecordedInput>;

/** The end of a call, as `LlmOutcome` of the executor. */
export const RecordedLlmOutcome = Type.Object({
  kind: literals(["completed", "failed", "interrupted", "unreachable"]),
  code: Type.Optional(Type.String()),
  message: Type.Optional(Type.String()),
  retryable: Type.Optional(Type.Boolean()),
  retry_after_ms: Type.Optional(Type.Integer()),
  last_code: Type.Optional(Type.String()),
  keep_text: Type.Optional(Type.Integer()),
  keep_thinking: Type.Optional(Type.Integer()),
});
export type RecordedLlmOutcome = Static<typeof RecordedLlmOutcome>;

export const RecordedCodeExecution = Type.Object({ code: Type.String(), result: Type.String() });

export const RecordedGrounding = Type.Object({
  web_search_queries: Type.Array(Type.String()),
  chunks: Type.Array(Type.Object({ uri: Type.String(), title: Type.String() })),
  supports: Type.Array(
    Type.Object({
      start_index: Type.Integer(),
      end_index: Type.Integer(),
      text: Type.String(),
      chunk_indices: Type.Array(Type.Integer()),
    }),
  ),
});

/** Everything that a call returned. State of the provider is left out: it is opaque, and no prompt shows it. */
export const RecordedReply = Type.Object({
  outcome: RecordedLlmOutcome,
  text: Type.String(),
  thinking: Type.String(),
  tool_calls: Type.Array(AskedToolCall),
  /** Calls behind those, which were neither carried out nor stored. */
  omitted_tool_calls: Type.Integer({ minimum: 0 }),
  code_executions: Type.Array(RecordedCodeExecution),
  groundings: Type.Array(RecordedGrounding),
  /** Null if the provider reported none. */
  usage: Type.Union([
    Type.Object({
      input_tokens: Type.Integer(),
      output_tokens: Type.Integer(),
      thinking_tokens: Type.Integer(),
      total_tokens: Type.Integer(),
      cached_input_tokens: Type.Optional(Type.Integer()),
      cache_write_tokens: Type.Optional(Type.Integer()),
      unreported_tries: Type.Optional(Type.Integer()),
    }),
    Type.Null(),
  ]),
  warnings: Type.Array(Type.Object({ code: Type.String(), message: Type.String() })),
});
export type RecordedReply = Static<typeof RecordedReply>;

/** A call of a model, in the order in which the execution's calls ended. */
export const RecordedLlmCall = Type.Object({
  interaction_id: Uuid,
  /** The session's newest event after the commit that recorded it; null if not known. */
  seq: IntegerOrNull,
  type: literals(LLM_INTERACTION_TYPES),
  /** The execution's calls so far, with this one; null outside of its conversation. */
  iteration: IntegerOrNull,
  input: RecordedInput,
  /** SHA-256 of the canonical request; null if the request cannot be rebuilt. */
  request_hash: TextOrNull,
  /** False where no gateway was asked: its provider was known to be away, or a budget had no room. */
  was_sent: Type.Boolean(),
  reply: RecordedReply,
  duration_ms: IntegerOrNull,
  estimated_cost_usd: Type.Union([Type.Number(), Type.Null()]),
  error_code: TextOrNull,
  error_message: TextOrNull,
});
export type RecordedLlmCall = Static<typeof RecordedLlmCall>;

/** A call of a tool, in the order in which the execution's calls were recorded. */
export const RecordedToolCall = Type.Object({
  interaction_id: Uuid,
  /** The id of its first attempt; under it a large result is kept. */
  call_id: Uuid,
  seq: IntegerOrNull,
  /** Its place: the execution's LLM calls before it, and its position in the newest answer, from 0. */
  iteration: Type.Integer(),
  index: Type.Integer(),
  server: Type.String(),
  tool: Type.String(),
  /** True for a tool of TARSy itself. */
  is_built_in: Type.Boolean(),
  arguments: Type.Unknown(),
  /** `mcp_interactions.tool_result`: the text of the timeline, and whether it is an error. */
  result: Type.Unknown(),
  error_message: TextOrNull,
  /** `mcp_interactions.outcome`: what the others do not say of how it ended. */
  outcome: Type.Unknown(),
  duration_ms: IntegerOrNull,
});
export type RecordedToolCall = Static<typeof RecordedToolCall>;

/** The tools of one server, as they were listed for an execution. */
export const RecordedListing = Type.Object({
  interaction_id: Uuid,
  seq: IntegerOrNull,
  server: Type.String(),
  tools: Type.Array(Type.Unknown()),
  /** Has the code of the failure; null for a listing that succeeded. */
  result: Type.Unknown(),
  error_message: TextOrNull,
  duration_ms: IntegerOrNull,
});
export type RecordedListing = Static<typeof RecordedListing>;
