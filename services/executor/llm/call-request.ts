import type { GenerateRequest } from "#shared/generated/llm/v1/llm.ts";
import type { CallLlm } from "../core/agent-state.ts";
import type { ExecutionRun } from "../core/execution-run.ts";
import { insertVariables } from "../prompts/variable-placeholders.ts";
import { generateRequest } from "./generate-request.ts";

/** The request of an agent's call. Only it has the values of variables. */
export function callRequest(run: ExecutionRun, { tools }: Pick<CallLlm, "tools">): GenerateRequest {
  return generateRequest(withVariables(run), tools);
}

/**
 * The conversation with the values of variables, which are not stored; only messages of ours have any. State of a provider
 * that was called before is left out: it is sealed for that provider.
 */
function withVariables({ session, execution, state }: ExecutionRun) {
  const { agent, alert, iteration } = state;
  const since = iteration.provider?.since_message ?? 0;
  const messages = state.messages.map((message) =>
    message.role === "assistant" || message.role === "tool"
      ? message.sequence_number > since
        ? message
        : { ...message, provider_state: null }
      : { ...message, content: insertVariables(message.content, alert.nonce, session.readVariable) },
  );
  return { session, execution, state: { agent, messages } };
}
