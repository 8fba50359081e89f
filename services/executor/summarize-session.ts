import { uuidFrom } from "#shared/uuid-from.ts";
import type { ResolvedAgent } from "#shared/contracts/resolved-chain.ts";
import type { WaitingFor } from "#shared/contracts/iteration-state.ts";
import { CancelledError } from "#shared/errors.ts";
import { postgresSafeText } from "#shared/postgres-safe-text.ts";
import { safeCut } from "#shared/safe-cut.ts";
import { candidates } from "./controllers/choose-provider.ts";
import { reserveSummary, settlementOf, withSettlement } from "./budget/reserve-call.ts";
import { type StepRecord, COMPLETED } from "./persist/step-record.ts";
import type { BudgetSettlement } from "./state/step-rows.ts";
import { callTimeoutMs, generateRequest } from "./llm/generate-request.ts";
import { callModel } from "./llm/call-llm.ts";
import { EMPTY_REPLY, replyFailure, replyTokens, type CallFailure, type LlmReply } from "./llm/llm-reply.ts";
import { tellOutcome, type TrackedCall } from "./llm/provider-circuits.ts";
import { llmInteractionRow } from "./llm/llm-interaction-row.ts";
import { waitForModel, waitForProbe } from "./llm/wait-for-model.ts";
import type { AgentRun, SessionStep } from "./next-session-step.ts";
import type { OwnedSession } from "./core/owned-session.ts";
import { automaticScore } from "./features/scoring/automatic-score.ts";
import { commitStep } from "./persist/commit-step.ts";
import { countFallback, fallbackRow } from "./llm/change-provider.ts";
import { endSession } from "./persist/session-rows.ts";
import { TimelineWriter } from "./persist/timeline-writer.ts";
import { buildExecutiveSummaryMessages } from "./prompts/build-tool-summary-messages.ts";
import type { PromptMessage } from "./prompts/prompt-input.ts";
import { tellPhase } from "./stream/tell-phase.ts";
import { agentAt, nextSummaryPosition, readSummaryCalls } from "./summary-calls.ts";
import { waitLeft } from "./core/wait.ts";

/** The session whose summary is requested. */
interface Summary {
  readonly author: AgentRun;
  readonly analysis: string;
  readonly messages: readonly PromptMessage[];
}

/**
 * Requests the executive summary, and completes the session in the same transaction as its last call: with an
 * `executive_summary` or, whatever failed, with an `executive_summary_error`; then it returns null. While the model cannot
 * be reached, returns what the session waits for; `waitedFor` is what it has waited for before. The session's deadline
 * ends the call but not the session's success. Throws the session's reason when cancelled otherwise.
 */
export async function summarizeSession(
  session: OwnedSession,
  { author, analysis }: Extract<SessionStep, { kind: "summarize" }>,
  waitedFor: WaitingFor | null,
): Promise<WaitingFor | null> {
  const summary = { author, analysis, messages: buildExecutiveSummaryMessages(analysis) };
  const { execution_id } = author.execution;
  // No call for the summary was made before this owner saw the execution end.
  let nextSequence = session.nextSequences.get(execution_id);
  for (let before = waitedFor; ; before = null) {
    const history =
      nextSequence === undefined
        ? await readSummaryCalls(session.db, execution_id)
        : { nextSequence, calls: [] };
    nextSequence = undefined;
    const position = nextSummaryPosition(author.agent, history.calls) ?? 0;
    const call = await callAdmitted(session, summary, position, before);
    const { wait, reply } = call;
    // Past the deadline there is no time to wait in, and the analysis is complete without its summary.
    if (wait !== null && session.clock.timeLeftMs() > waitLeft(session.clock, wait)) {
      session.metrics.waits.inc({ kind: wait.kind });
      return wait;
    }
    const isOver = await recordSummary(session, summary, { ...call, reply, history });
    if (isOver) return null;
  }
}

/** A call for the summary, or the lack of one while every provider is away. */
interface FinishedSummary {
  readonly reply: LlmReply;
  readonly wait: WaitingFor | null;
  /** The position of the called provider in the agent's list. */
  readonly position: number;
  /** Why providers before it were passed over. */
  readonly changes: readonly FallbackChange[];
  readonly durationMs: number;
  /** The use of a budget by the call. */
  readonly settled: readonly BudgetSettlement[];
}

const NO_ROWS: StepRecord = { rows: {}, events: [] };

type FallbackChange = Parameters<typeof fallbackRow>[0];

async function callAdmitted(
  session: OwnedSession,
  summary: Summary,
  first: number,
  before: WaitingFor | null,
): Promise<FinishedSummary> {
  const changes: FallbackChange[] = [];
  for (let position = first; ;) {
    const agent = agentAt(summary.author.agent, position);
    const { llm_provider: provider } = agent;
    const admitted = await session.llm.circuits.admit(provider);
    if (!("probeInMs" in admitted)) {
      const call = await requestSummary(session, summary, { agent, before, tracked: admitted });
      return { ...call, position, changes };
    }
    const reason = `${provider.name} is away: ${admitted.lastError}`;
    const next = candidates(agent).find(
      (candidate) => session.llm.circuits.find(candidate.provider) === undefined,
    );
    if (next === undefined) {
      const outcome = { kind: "failed", code: "provider_error", message: reason, retryable: false } as const;
      const wait = waitForProbe(session.clock, provider, admitted, before);
      const reply = { ...EMPTY_REPLY, outcome, isUnsent: true as const };
      return { reply, wait, settled: [], position, changes, durationMs: 0 };
    }
    position += next.distance;
    changes.push({
      former: provider,
      next: next.provider,
      position,
      reason,
      errorCode: "circuit_open",
      errorRetryable: true,
    });
  }
}

async function requestSummary(
  session: OwnedSession,
  { author: { execution }, messages }: Summary,
  {
    agent,
    before,
    tracked,
  }: {
    readonly agent: ResolvedAgent;
    readonly before: WaitingFor | null;
    readonly tracked: TrackedCall;
  },
): Promise<Pick<FinishedSummary, "reply" | "wait" | "durationMs" | "settled">> {
  // The summary is not streamed: it is short, and its row is inserted only when complete.
  const ignored = { text: () => undefined, thinking: () => undefined };
  const startedAt = performance.now();
  tellPhase(session, execution, { phase: "finalizing", message: "Writing the executive summary" });
  const durationMs = () => Math.round(performance.now() - startedAt);
  try {
    const { execution_id } = execution;
    const request = generateRequest({ session, execution: { execution_id }, state: { agent, messages } }, []);
    const reserved = await reserveSummary(session, {
      executionId: execution_id,
      provider: agent.llm_provider,
      request,
    });
    if ("reply" in reserved) return { ...reserved, wait: null, settled: [], durationMs: durationMs() };
    const { reservation } = reserved;
    const { reply } = await callModel(session, {
      request: reservation?.request ?? request,
      ...(reservation === undefined ? {} : { mayRepeat: async () => reservation.repeat() }),
      shown: messages,
      timeoutMs: callTimeoutMs(agent),
      hasWaited: before?.kind === "gateway",
      begin: () => ignored,
    });
    await tellOutcome(tracked, session.sessionId, reply.outcome);
    const wait = waitForModel(session.clock, reply.outcome, before, candidates(agent).length > 0);
    const settled = settlementOf(session, reservation, reply);
    if (wait !== null && settled.length > 0) await commitStep(session, [withSettlement(NO_ROWS, settled)]);
    return { reply, wait, settled, durationMs: durationMs() };
  } catch (error) {
    if (!(error instanceof CancelledError) || error.reason !== "session_deadline") throw error;
    const { code, message } = error;
    const outcome = { kind: "failed", code, message, retryable: false } as const;
    // The reservation is settled once the lease is released: the outcome is not known.
    return { reply: { ...EMPTY_REPLY, outcome }, wait: null, settled: [], durationMs: durationMs() };
  } finally {
    await tracked.abandoned();
  }
}

/**
 * Commits the record of a call for the summary: with the summary and the session's completion if there is no other call to
 * make, else with the change of providers. Returns whether the session is complete. Summary and calls belong to the
 * execution that gave the analysis. The fence refuses the commit after a cancel.
 */
async function recordSummary(
  session: OwnedSession,
  { author: { execution, agent: author }, analysis, messages }: Summary,
  {
    reply,
    position,
    changes,
    durationMs,
    settled,
    history: { nextSequence, calls },
  }: FinishedSummary & { readonly history: Awaited<ReturnType<typeof readSummaryCalls>> },
): Promise<boolean> {
  const { execution_id } = execution;
  const { llm_provider: provider } = agentAt(author, position);
  const summary = summaryText(reply.text);
  const failure = replyFailure({ ...reply, text: summary, toolCalls: [] }, { thinkingMayAnswer: false });
  const number = calls.length === 0 ? "" : `:${calls.length}`;
  const interactionId = uuidFrom(`llm:executive-summary${number}`, execution_id);
  const tokens = replyTokens(reply);
  const interaction = llmInteractionRow(execution, {
    interactionId,
    type: "executive_summary",
    provider,
    pricing: session,
    lastMessageId: null,
    // The messages are not part of the execution's conversation, so the record stores them.
    request: {
      messages_count: messages.length,
      tools_count: 0,
      messages,
      provider: provider.name,
      provider_position: position,
    },
    reply,
    storedText: failure === null ? summary : "",
    durationMs,
    failure,
  });
  const isExpired = session.clock.timeLeftMs() <= 0;
  const failed = failure === null || isExpired ? null : { error_code: failure.code, position };
  const next = failed === null ? null : nextSummaryPosition(author, [...calls, failed]);
  const timeline = new TimelineWriter({
    sessionId: session.sessionId,
    execution,
    iteration: 0,
    timeline: { nextSequence, open: new Map() },
  });
  const all = [...changes, ...changeAfter(failure, author, { position, next })];
  for (const change of all) {
    timeline.add({ ...fallbackRow(change), key: `summary-provider:${change.position}` });
  }
  const row = { key: "executive-summary", type: "executive_summary", metadata: null } as const;
  if (failure === null) timeline.add({ ...row, content: summary, interactionId });
  const { rows, events } = timeline.record();
  const executionChanges = [{ execution_id, tokens }];
  const record = { rows: { ...rows, llmInteractions: [interaction], executionChanges }, events, tokens };
  const called = withSettlement(record, settled);
  if (next === null) {
    const state = await session.commitMutex(() => session.memory.state());
    const findings = {
      finalAnalysis: analysis,
      executiveSummary: failure === null ? summary : null,
      executiveSummaryError: failure?.message ?? null,
    };
    const end = endSession(session.sessionId, COMPLETED, findings, automaticScore(state, COMPLETED));
    await commitStep(session, [called, end], "finish");
  } else {
    await commitStep(session, [called]);
  }
  for (const change of all) countFallback(session, { ...change, execution_id });
  return next === null;
}

/** The change to the provider that is called next, if it is another one. */
function changeAfter(
  failure: CallFailure | null,
  author: ResolvedAgent,
  { position, next }: { readonly position: number; readonly next: number | null },
): FallbackChange[] {
  if (failure === null || next === null || next === position) return [];
  return [
    {
      former: agentAt(author, position).llm_provider,
      next: agentAt(author, next).llm_provider,
      position: next,
      reason: failure.message,
      errorCode: failure.code,
      errorRetryable: failure.retryable,
    },
  ];
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
