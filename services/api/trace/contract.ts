import { SHOWN_STAGE_TYPES } from "#shared/contract-view/shown-stages.ts";
import { literals } from "#shared/contracts/literals.ts";
import { ResolvedProvider } from "#shared/contracts/resolved-chain.ts";
import { LLM_INTERACTION_TYPES, MCP_INTERACTION_TYPES } from "#shared/contracts/statuses.ts";
import { Uuid } from "#shared/contracts/uuid.ts";
import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { AnyObject, Time, SessionParams, AtSeqQuery } from "../http/common-schemas.ts";
import type { Endpoints } from "../http/endpoint.ts";
import { Usd } from "../views/cost.ts";

const Count = Type.Optional(Type.Integer({ minimum: 0 }));
const Text = Type.Optional(Type.String());

const LlmInteraction = Type.Object(
  {
    id: Uuid,
    interaction_id: Uuid,
    session_id: Uuid,
    stage_id: Uuid,
    execution_id: Uuid,
    created_at: Time,
    interaction_type: literals(LLM_INTERACTION_TYPES),
    model_name: Type.String(),
    last_message_id: Type.Optional(Uuid),
    llm_request: AnyObject,
    llm_response: AnyObject,
    thinking_content: Text,
    response_metadata: Type.Optional(AnyObject),
    input_tokens: Count,
    output_tokens: Count,
    thinking_tokens: Count,
    total_tokens: Count,
    cached_input_tokens: Count,
    cache_write_tokens: Count,
    estimated_cost_usd: Type.Optional(Usd),
    price_source: Text,
    duration_ms: Count,
    error_message: Text,
    error_code: Text,
    seq: Count,
  },
  { title: "LlmInteraction" },
);

const McpInteraction = Type.Object(
  {
    id: Uuid,
    interaction_id: Uuid,
    session_id: Uuid,
    stage_id: Uuid,
    execution_id: Uuid,
    created_at: Time,
    interaction_type: literals(MCP_INTERACTION_TYPES),
    server_name: Type.String(),
    tool_name: Text,
    tool_arguments: Type.Optional(Type.Unknown()),
    tool_result: Type.Optional(Type.Unknown()),
    available_tools: Type.Optional(Type.Array(AnyObject)),
    duration_ms: Count,
    error_message: Text,
    seq: Count,
  },
  { title: "McpInteraction" },
);

const EXECUTION_TRACE = {
  execution_id: Uuid,
  agent_name: Type.String(),
  llm_interactions: Type.Array(LlmInteraction),
  mcp_interactions: Type.Array(McpInteraction),
};

const ExecutionTrace = Type.Object(
  {
    ...EXECUTION_TRACE,
    sub_agents: Type.Optional(
      Type.Array(Type.Object({ ...EXECUTION_TRACE, parent_execution_id: Uuid }, { title: "SubAgentTrace" }), {
        description: "the agents that it has started",
      }),
    ),
  },
  { title: "ExecutionTrace" },
);

const TraceResponse = Type.Object({
  session_id: Uuid,
  stages: Type.Array(
    Type.Object(
      {
        stage_id: Uuid,
        stage_name: Type.String(),
        stage_type: literals(SHOWN_STAGE_TYPES),
        referenced_stage_id: Type.Optional(Uuid),
        executions: Type.Array(ExecutionTrace),
      },
      { title: "StageTrace" },
    ),
  ),
  session_interactions: Type.Array(LlmInteraction, { description: "calls of no agent; there are none" }),
});

const McpTraceResponse = McpInteraction;

const TraceMessage = Type.Object(
  {
    role: Type.String(),
    content: Type.String(),
    tool_calls: Type.Optional(Type.Array(AnyObject)),
    tool_call_id: Text,
    tool_name: Text,
    provider_state: Type.Optional(Type.String({ description: "base64" })),
  },
  { additionalProperties: true, title: "TraceMessage" },
);

const InteractionParams = Type.Object({ id: Uuid, interaction: Uuid });

/** A line has at most 1,000 code units: a longer one counts as several. */
export const ResultLinesQuery = Type.Object({
  from: Type.Integer({ minimum: 1, maximum: 2_147_483_647, default: 1 }),
  lines: Type.Integer({ minimum: 1, maximum: 200, default: 100 }),
});
const ResultLines = Type.Object(
  {
    from: Type.Integer({ minimum: 1 }),
    total: Type.Integer({ minimum: 0, description: "the lines of the whole result" }),
    text: Type.String({ description: "empty beyond its end" }),
  },
  { title: "ResultLines" },
);
export type ResultLines = Static<typeof ResultLines>;

const LlmTraceResponse = Type.Object({
  ...LlmInteraction.properties,
  conversation: Type.Array(TraceMessage),
  tools: Type.Array(AnyObject),
  llm_provider: Type.Optional(ResolvedProvider),
});

/** What the agents of a session asked and called. */
export const TRACE = {
  getTrace: {
    method: "get",
    path: "/api/v1/sessions/:id/trace",
    action: "trace.read",
    tag: "sessions",
    summary: "Every LLM call, tool listing and tool call of a session, oldest first",
    params: SessionParams,
    query: AtSeqQuery,
    responses: { 200: { description: "the calls", schema: TraceResponse } },
    errors: [409],
  },
  getLlmCall: {
    method: "get",
    path: "/api/v1/sessions/:id/trace/llm/:interaction",
    action: "trace.read",
    tag: "sessions",
    summary: "One LLM call with its complete input and its answer",
    params: InteractionParams,
    query: AtSeqQuery,
    responses: { 200: { description: "the call", schema: LlmTraceResponse } },
    errors: [409],
  },
  getToolCall: {
    method: "get",
    path: "/api/v1/sessions/:id/trace/mcp/:interaction",
    action: "trace.read",
    tag: "sessions",
    summary: "One tool listing or tool call with its arguments and result",
    params: InteractionParams,
    query: AtSeqQuery,
    responses: { 200: { description: "the call", schema: McpTraceResponse } },
    errors: [409],
  },
  getResultLines: {
    method: "get",
    path: "/api/v1/sessions/:id/trace/mcp/:interaction/result",
    action: "trace.read",
    tag: "sessions",
    summary: "Lines of a large result that is kept whole; 404 where the call has none",
    params: InteractionParams,
    query: ResultLinesQuery,
    responses: { 200: { description: "the lines", schema: ResultLines } },
  },
} as const satisfies Endpoints;
