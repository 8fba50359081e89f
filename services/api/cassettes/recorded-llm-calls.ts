import type { RecordedInput, RecordedLlmCall, RecordedMessage } from "#shared/cassette/recorded-calls.ts";
import type { LlmInteraction } from "#shared/database/tables/llm-interactions.ts";
import type { Message } from "#shared/database/tables/messages.ts";
import type { TimelineEvent } from "#shared/database/tables/timeline-events.ts";
import { withKeptText } from "./kept-window.ts";
import { modelOfCall } from "./model-of-call.ts";
import { recordedReply } from "./recorded-reply.ts";
import type { ConfiguredAgent } from "./session-agents.ts";
import { parseStoredRequest, parseStoredResponse, type StoredRequest } from "./stored-call.ts";

/** An execution's conversation and what its calls had. */
interface CallContext {
  readonly configured: ConfiguredAgent;
  /** The execution's own, in their order. */
  readonly rows: readonly Message[];
  readonly messages: readonly RecordedMessage[];
  /** By handle. */
  readonly kept: ReadonlyMap<string, string>;
  readonly timeline: readonly TimelineEvent[];
}

/** A recorded call as its cassette has it. */
export function recordedLlmCall(context: CallContext, call: LlmInteraction): RecordedLlmCall {
  const request = parseStoredRequest(call.llm_request);
  const response = parseStoredResponse(call.llm_response);
  const input = inputOf(context, call, request);
  return {
    interaction_id: call.interaction_id,
    seq: call.seq,
    type: call.interaction_type,
    iteration: request.messages === undefined ? (request.iteration ?? null) : null,
    input,
    // Of the request as the cassette has it: `hash-requests.ts`.
    request_hash: null,
    was_sent: response.remainder?.was_sent ?? true,
    reply: recordedReply({
      call,
      response,
      answer: answerOf(context, call),
      summary: summaryOf(context, call),
    }),
    duration_ms: call.duration_ms,
    estimated_cost_usd: call.estimated_cost_usd,
    error_code: call.error_code,
    error_message: call.error_message,
  };
}

function inputOf(
  { configured, rows, kept }: CallContext,
  call: LlmInteraction,
  { messages, provider, tools_count: count = 0, tools }: StoredRequest,
): RecordedInput {
  const model = modelOfCall(configured, call, provider);
  const has_tools = count > 0;
  if (messages !== undefined) {
    const limit = model?.max_tool_result_tokens ?? 0;
    const sent = messages.map(({ role, content }) => ({ role, content: withKeptText(content, kept, limit) }));
    const known = sent.flatMap(({ role, content }) => (content === undefined ? [] : [{ role, content }]));
    const isWhole = known.length === sent.length;
    const own = isWhole ? known : messages.map(({ role, content }) => ({ role, content }));
    return { through: null, messages: own, has_tools, model: isWhole ? model : null };
  }
  const through = rows.find(({ message_id }) => message_id === call.last_message_id)?.sequence_number ?? null;
  const bound = { has_tools, ...(tools === undefined ? {} : { tools }) };
  return { through, ...bound, model: through === null ? null : model };
}

/** The message behind the last one that was sent, if it is the answer. */
function answerOf({ rows }: CallContext, call: LlmInteraction): Message | undefined {
  const hasFailed = call.error_code !== null || call.error_message !== null;
  if (call.last_message_id === null || hasFailed) return undefined;
  const last = rows.findIndex(({ message_id }) => message_id === call.last_message_id);
  const next = last === -1 ? undefined : rows[last + 1];
  return next?.role === "assistant" ? next : undefined;
}

function summaryOf({ timeline }: CallContext, { interaction_id }: LlmInteraction): string | undefined {
  return timeline.find(
    ({ llm_interaction_id, event_type, status }) =>
      llm_interaction_id === interaction_id &&
      (event_type === "executive_summary" || event_type === "mcp_tool_summary") &&
      status === "completed",
  )?.content;
}
