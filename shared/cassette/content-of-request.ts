import type { RequestContent } from "#shared/cassette/canonical-request.ts";
import type { GenerateRequest } from "#shared/generated/llm/v1/llm.ts";

/** The content that a request to the llm-gateway sends to a model. */
export function contentOfRequest({
  messages,
  tools,
  llmConfig,
}: Pick<GenerateRequest, "messages" | "tools" | "llmConfig">): RequestContent {
  return {
    messages: messages.map(({ role, content, toolCalls, toolCallId, toolName }) => ({
      role,
      content,
      tool_calls: toolCalls,
      tool_call_id: toolCallId,
      tool_name: toolName,
    })),
    tools: tools.map(({ name, description, parametersSchema }) => ({
      name,
      description,
      parameters_schema: parametersSchema,
    })),
    model: {
      provider: llmConfig?.providerName ?? "",
      type: llmConfig?.providerType ?? "",
      backend: llmConfig?.backend ?? "",
      model: llmConfig?.model ?? "",
      max_tool_result_tokens: llmConfig?.maxToolResultTokens ?? 0,
      max_output_tokens: llmConfig?.maxOutputTokens ?? 0,
      native_tools: llmConfig?.nativeTools ?? {},
    },
  };
}
