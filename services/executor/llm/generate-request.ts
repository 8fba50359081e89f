import { hashProvider } from "#shared/contracts/provider-hash.ts";
import type { ResolvedProvider } from "#shared/contracts/resolved-chain.ts";
import type { ToolDescription } from "#shared/contracts/tool-list.ts";
import type { ExecutionRun } from "../core/execution-run.ts";
import type { AppendedMessage } from "../persist/conversation.ts";
import { markedDescription } from "#shared/contracts/tool-marks.ts";
import type { ConversationMessage, GenerateRequest, LLMConfig } from "#shared/generated/llm/v1/llm.ts";

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

const NO_STATE = Buffer.alloc(0);

function toConversationMessage(message: AppendedMessage): ConversationMessage {
  return {
    role: message.role,
    content: message.content,
    toolCalls: message.tool_calls ?? [],
    toolCallId: message.tool_call_id ?? "",
    toolName: message.tool_name ?? "",
    providerState: message.provider_state ?? NO_STATE,
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
