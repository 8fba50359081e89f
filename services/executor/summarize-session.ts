import { CancelledError } from "#shared/errors.ts";
import { generateRequest } from "./llm/generate-request.ts";
import { executiveSummaryMessages } from "./prompts/executive-summary-messages.ts";
import { tryLlmCall } from "./llm/try-llm-call.ts";
import { NOTHING_SAID, type LlmReply } from "./llm/call-llm.ts";
import type { AgentRun, SessionStep } from "./next-session-step.ts";
import type { OwnedSession } from "./owned-session.ts";
import { recordSummary } from "./record-summary.ts";

/**
 * Has the analysis summed up by one LLM call, and finishes the session with it in the same transaction: it completes with
 * an `executive_summary` or, whatever went wrong, with an `executive_summary_error`. The time that a session has left
 * bounds the call, not its success. Throws the session's reason when called off otherwise.
 */
export async function summarizeSession(
  session: OwnedSession,
  { author, analysis }: Extract<SessionStep, { kind: "summarize" }>,
): Promise<void> {
  const messages = executiveSummaryMessages(analysis);
  const startedAt = performance.now();
  const reply = await ask(session, author, messages);
  const durationMs = Math.round(performance.now() - startedAt);
  await recordSummary(session, author, { analysis, messages, reply, durationMs });
}

async function ask(
  session: OwnedSession,
  { execution, agent }: AgentRun,
  messages: ReturnType<typeof executiveSummaryMessages>,
): Promise<LlmReply> {
  // Nobody watches it grow: it is a few lines, and there is no row before it is whole.
  const ignored = { text: () => undefined, thinking: () => undefined };
  try {
    return await tryLlmCall(session, {
      request: generateRequest({ session, execution, state: { agent, messages } }, []),
      timeoutMs: agent.iteration_timeout_ms,
      begin: () => ignored,
    });
  } catch (error) {
    if (!(error instanceof CancelledError) || error.reason !== "session_deadline") throw error;
    const { code, message } = error;
    return { ...NOTHING_SAID, outcome: { kind: "failed", code, message, retryable: false } };
  }
}
