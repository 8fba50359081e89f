import { v5 as uuidFrom } from "uuid";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { WaitingFor } from "#shared/contracts/waiting-for.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { CancelledError } from "#shared/errors.ts";
import { postgresSafeText } from "#shared/postgres-safe-text.ts";
import { safeCut } from "#shared/safe-cut.ts";
import { callTimeoutMs } from "./llm/call-timeout.ts";
import { callLlm } from "./llm/call-llm.ts";
import { generateRequest } from "./llm/generate-request.ts";
import { EMPTY_REPLY, replyFailure, replyTokens, type LlmReply } from "./llm/llm-reply.ts";
import { llmInteractionRow } from "./llm/record-llm-call.ts";
import { waitForModel } from "./llm/wait-for-model.ts";
import type { AgentRun, SessionStep } from "./next-session-step.ts";
import type { OwnedSession } from "./owned-session.ts";
import { commitStep } from "./persist/commit-step.ts";
import { COMPLETED } from "./persist/run-outcome.ts";
import { endSession } from "./persist/session-rows.ts";
import { TimelineWriter } from "./persist/timeline-writer.ts";
import { buildExecutiveSummaryMessages } from "./prompts/build-executive-summary-messages.ts";
import type { NewMessage } from "./prompts/prompt-input.ts";
import { waitLeft } from "./wait.ts";

/**
 * Requests the executive summary by one LLM call, and completes the session in the same transaction: with an
 * `executive_summary` or, whatever failed, with an `executive_summary_error`; then it returns null. While the model cannot
 * be reached, returns what the session waits for; `waitedFor` is what it has waited for before. The session's deadline
 * ends the call but not the session's success. Throws the session's reason when cancelled otherwise.
 */
export async function summarizeSession(
  session: OwnedSession,
  { author, analysis }: Extract<SessionStep, { kind: "summarize" }>,
  waitedFor: WaitingFor | null,
): Promise<WaitingFor | null> {
  const messages = buildExecutiveSummaryMessages(analysis);
  const startedAt = performance.now();
  const reply = await requestSummary(session, author, messages, waitedFor);
  const wait = waitForModel(session, reply.outcome, waitedFor);
  // Past the deadline there is no time to wait in, and the analysis is complete without its summary.
  if (wait !== null && session.timeLeftMs() > waitLeft(session, wait)) {
    session.metrics.waits.inc({ kind: wait.kind });
    return wait;
  }
  const durationMs = Math.round(performance.now() - startedAt);
  await recordSummary(session, author, { analysis, messages, reply, durationMs });
  return null;
}

async function requestSummary(
  session: OwnedSession,
  { execution, agent }: AgentRun,
  messages: readonly NewMessage[],
  waitedFor: WaitingFor | null,
): Promise<LlmReply> {
  // The summary is not streamed: it is short, and its row is inserted only when complete.
  const ignored = { text: () => undefined, thinking: () => undefined };
  try {
    const { reply } = await callLlm(session, {
      request: generateRequest({ session, execution, state: { agent, messages } }, []),
      timeoutMs: callTimeoutMs(agent),
      hasWaited: waitedFor?.kind === "gateway",
      begin: () => ignored,
    });
    return reply;
  } catch (error) {
    if (!(error instanceof CancelledError) || error.reason !== "session_deadline") throw error;
    const { code, message } = error;
    return { ...EMPTY_REPLY, outcome: { kind: "failed", code, message, retryable: false } };
  }
}

const parseSequence = compileParser("next timeline row", Type.Object({ next_sequence: Type.Integer() }));

const NEXT_SEQUENCE = `
SELECT coalesce(max(sequence_number), 0) + 1 AS next_sequence FROM timeline_events WHERE execution_id = $1`;

interface FinishedSummary {
  readonly analysis: string;
  readonly messages: readonly NewMessage[];
  readonly reply: LlmReply;
  readonly durationMs: number;
}

/**
 * Commits the summary, the record of its call and the session's completion. Summary and call belong to the execution that
 * gave the analysis. The fence refuses the commit after a cancel.
 */
async function recordSummary(
  session: OwnedSession,
  { execution, agent }: AgentRun,
  { analysis, messages, reply, durationMs }: FinishedSummary,
): Promise<void> {
  const { execution_id } = execution;
  const summary = summaryText(reply.text);
  const failure = replyFailure({ ...reply, text: summary, toolCalls: [] }, { thinkingMayAnswer: false });
  const interactionId = uuidFrom("llm:executive-summary", execution_id);
  const tokens = replyTokens(reply);
  const interaction = llmInteractionRow(execution, {
    interactionId,
    type: "executive_summary",
    model: agent.llm_provider.model,
    lastMessageId: null,
    // The messages are not part of the execution's conversation, so the record stores them.
    request: { messages_count: messages.length, tools_count: 0, messages },
    reply,
    durationMs,
    failure,
  });
  const [next] = await selectRows(session.db, parseSequence, NEXT_SEQUENCE, [execution_id]);
  const timeline = new TimelineWriter({
    sessionId: session.sessionId,
    execution,
    iteration: 0,
    timeline: { nextSequence: next?.next_sequence ?? 1, open: new Set() },
  });
  const row = { key: "executive-summary", type: "executive_summary", metadata: null } as const;
  if (failure === null) timeline.add({ ...row, content: summary, interactionId });
  const { rows, events } = timeline.record();
  const executionChanges = [{ execution_id, tokens }];
  const summarized = { rows: { ...rows, llmInteractions: [interaction], executionChanges }, events, tokens };
  const end = endSession(session.sessionId, COMPLETED, {
    finalAnalysis: analysis,
    executiveSummary: failure === null ? summary : null,
    executiveSummaryError: failure?.message ?? null,
  });
  await commitStep(session, [summarized, end], "finish");
}

/** Twice the four lines that the prompt requests: a model may separate them by blank lines. */
const MAX_LINES = 8;
const MAX_CODE_UNITS = 2_000;

/**
 * The executive summary of a reply: Postgres-safe, trimmed, and truncated with an ellipsis after 8 lines or 2,000 code
 * units, because notifications and every row of a list show it. Empty for a reply without text.
 */
export function summaryText(reply: string): string {
  const whole = postgresSafeText(reply.trim()).text;
  const lines = whole.split(/\r\n|[\n\r\u2028\u2029]/u, MAX_LINES).join("\n");
  const cut = lines.slice(0, safeCut(lines, MAX_CODE_UNITS)).trimEnd();
  return isWhole(whole, cut) ? cut : `${cut}…`;
}

/** CRLF and LF count as the same line end. */
function isWhole(whole: string, cut: string): boolean {
  return whole.replaceAll("\r\n", "\n").length === cut.length;
}
