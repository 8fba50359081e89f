import type { ResolvedProvider } from "#shared/contracts/resolved-chain.ts";
import type { GenerateRequest } from "#shared/generated/llm/v1/llm.ts";
import { generateRequest } from "../../llm/generate-request.ts";
import type { NewMessage } from "../../prompts/prompt-input.ts";
import { insertVariables, type ReadVariable } from "../../prompts/variable-placeholders.ts";
import type { AgentState } from "../../core/agent-state.ts";

/** Whose result is summarized. */
interface Asking {
  readonly session: { readonly sessionId: string; readonly readVariable: ReadVariable };
  readonly execution: { readonly execution_id: string };
  readonly state: Pick<AgentState, "agent" | "alert">;
}

/**
 * The request for a summary, without tools; also those are switched off that the provider runs itself. Only it has the values
 * of variables.
 */
export function summaryRequest(
  { session, execution, state: { agent, alert } }: Asking,
  provider: ResolvedProvider,
  messages: readonly NewMessage[],
): GenerateRequest {
  const inserted = messages.map((message) => ({
    ...message,
    content: insertVariables(message.content, alert.nonce, session.readVariable),
  }));
  const state = { agent: { ...agent, llm_provider: provider }, messages: inserted };
  const { execution_id } = execution;
  const request = generateRequest({ session, execution: { execution_id }, state }, []);
  // The hash of the provider's entry covers these tools, so they are removed from the request only.
  return request.llmConfig === undefined
    ? request
    : { ...request, llmConfig: { ...request.llmConfig, nativeTools: {} } };
}
