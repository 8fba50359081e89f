import { hashProvider } from "#shared/contracts/provider-hash.ts";
import type { ResolvedProvider, ResolvedAgent } from "#shared/contracts/resolved-chain.ts";
import { type ToolDescription, markedDescription } from "#shared/contracts/tool-list.ts";
import type { ExecutionRun } from "../core/execution-run.ts";
import type { AppendedMessage } from "../persist/conversation.ts";
import type { ConversationMessage, GenerateRequest, LLMConfig } from "#shared/generated/llm/v1/llm.ts";
import type { CallLlm, AgentState } from "../core/agent-state.ts";
import { insertVariables } from "../prompts/variable-placeholders.ts";
import { BUILT_IN_SERVER } from "#shared/contracts/tool-names.ts";

/** The input of a request. */
interface CallInput {
  readonly session: Pick<ExecutionRun["session"], "sessionId">;
  /** `agent_name` is absent for a call that is not part of the agent's own conversation. */
  readonly execution: Pick<ExecutionRun["execution"], "execution_id"> & { readonly agent_name?: string };
  readonly state: Pick<ExecutionRun["state"], "agent"> & { readonly messages: readonly AppendedMessage[] };
}

/** The request to the llm-gateway: the conversation, the provider by name, and the bound tools. */
export function generateRequest(
  { session, execution, state }: CallInput,
  tools: readonly ToolDescription[],
): GenerateRequest {
  return {
    sessionId: session.sessionId,
    executionId: execution.execution_id,
    agentName: execution.agent_name ?? "",
    messages: state.messages.map(toConversationMessage),
    llmConfig: toLlmConfig(state.agent.llm_provider),
    tools: tools.map((tool) => ({
      name: tool.name,
      description: markedDescription(tool),
      parametersSchema: tool.parameters_schema,
    })),
  };
}

/** The same for each call, so that a message is encoded once. */
const conversationMessages = new WeakMap<AppendedMessage, ConversationMessage>();

function toConversationMessage(message: AppendedMessage): ConversationMessage {
  const known = conversationMessages.get(message) ?? conversationMessage(message);
  conversationMessages.set(message, known);
  return known;
}

function conversationMessage(message: AppendedMessage): ConversationMessage {
  return {
    role: message.role,
    content: message.content,
    toolCalls: message.tool_calls ?? [],
    toolCallId: message.tool_call_id ?? "",
    toolName: message.tool_name ?? "",
    providerState: message.provider_state ?? undefined,
  };
}

function toLlmConfig(provider: ResolvedProvider): LLMConfig {
  return {
    providerName: provider.name,
    providerType: provider.type,
    entryHash: hashProvider(provider),
    model: provider.model,
    backend: provider.backend,
    maxToolResultTokens: provider.max_tool_result_tokens,
    maxOutputTokens: provider.max_output_tokens ?? 0,
    nativeTools: provider.native_tools,
  };
}

/** How long one LLM call of an agent may take, in milliseconds: its iteration, or less if its provider's entry says so. */
export function callTimeoutMs({ iteration_timeout_ms, llm_provider }: ResolvedAgent): number {
  return Math.min(iteration_timeout_ms, llm_provider.call_timeout_ms ?? iteration_timeout_ms);
}

/** An agent's own call. */
interface OwnCall extends Pick<CallInput, "execution"> {
  readonly session: Pick<ExecutionRun["session"], "sessionId"> & {
    readonly llm: Pick<ExecutionRun["session"]["llm"], "readVariable">;
  };
  readonly state: Pick<AgentState, "agent" | "alert" | "iteration" | "messages">;
}

/** The request of an agent's call. Only it has the values of variables. */
export function callRequest(run: OwnCall, { tools }: Pick<CallLlm, "tools">): GenerateRequest {
  return generateRequest(withVariables(run), tools);
}

/**
 * The conversation with the values of variables, which are not stored; only messages of ours have any. State of a provider
 * that was called before is left out: it is sealed for that provider.
 */
function withVariables({ session, execution, state }: OwnCall) {
  const { agent, alert, iteration } = state;
  const since = iteration.provider?.since_message ?? 0;
  const messages = state.messages.map((message) => {
    if (message.role === "assistant" || message.role === "tool") {
      return message.sequence_number > since ? message : { ...message, provider_state: null };
    }
    const content = insertVariables(message.content, alert.nonce, session.llm.readVariable);
    // The same object is encoded once.
    return content === message.content ? message : { ...message, content };
  });
  return { session, execution, state: { agent, messages } };
}

/** The names of a call's tools in their order, where the agent has tools that a call has only once they are found. */
export function boundNames(
  { tools }: Pick<CallLlm, "tools">,
  { offer }: Pick<AgentState, "offer">,
): { readonly tools?: readonly string[] } {
  if (tools.length === 0 || offer === null || offer.searchable.length === 0) return {};
  return { tools: tools.map(({ name }) => name) };
}

/**
 * The tools of TARSy itself that a call had, as the model got them: a later version may describe them in other words. They are
 * recorded with the calls up to the execution's first answer; later calls have the same. Absent for none.
 */
export function ownTools(
  { tools }: Pick<CallLlm, "tools">,
  { messages }: Pick<AgentState, "messages">,
): { readonly own_tools?: readonly object[] } {
  const own = tools.filter(({ server }) => server === BUILT_IN_SERVER);
  if (own.length === 0 || messages.some(({ role }) => role === "assistant")) return {};
  return {
    own_tools: own.map((tool) => ({
      name: tool.name,
      description: markedDescription(tool),
      parameters_schema: tool.parameters_schema,
    })),
  };
}
