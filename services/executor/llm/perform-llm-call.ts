import type { WaitingFor } from "#shared/contracts/iteration-state.ts";
import { backoff } from "#shared/pause.ts";
import { isActionAgent } from "#shared/contracts/resolved-chain.ts";
import type { AgentState, CallLlm, ReplyStyle } from "../core/agent-state.ts";
import { candidates } from "../controllers/choose-provider.ts";
import { timelineOf, type ExecutionRun } from "../core/execution-run.ts";
import { changeProvider } from "./change-provider.ts";
import { storeMaskedValues } from "../persist/store-masked-values.ts";
import { recordUnfinishedStep, unfinishedStep } from "../persist/unfinished-step.ts";
import type { StreamKind, TimelineWriter } from "../persist/timeline-writer.ts";
import { callModel, type DeltaHandlers } from "./call-llm.ts";
import { HeldClaim } from "../controllers/action-claim.ts";
import { ReactSections } from "../react-parser/react-sections.ts";
import { releaseReservation, settlementOf, withSettlement } from "../budget/reserve-call.ts";
import { tellPhase } from "../stream/tell-phase.ts";
import { callTimeoutMs, callRequest } from "./generate-request.ts";
import { EMPTY_REPLY } from "./llm-reply.ts";
import { tellOutcome, type OpenCircuit, type TrackedCall } from "./provider-circuits.ts";
import { recordLlmCall } from "./record-llm-call.ts";
import { maskArguments } from "./mask-reply.ts";
import { outcomeWithoutWait, waitForModel, waitForProbe } from "./wait-for-model.ts";
import type { ExecutionPhase } from "#shared/contracts/live-progress.ts";

const BACKOFF = { firstMs: 1_000, lastMs: 30_000 };

/**
 * Makes one LLM call, streams it live and adds its outcome to the agent's steps; a failed call is an outcome too. If the
 * model cannot be reached for now, adds and returns what the agent waits for; null otherwise. If its provider is known to be
 * away, another one takes over without a call. Throws the session's reason when cancelled; then nothing of the outcome is
 * stored and the next owner repeats the call.
 */
export async function performLlmCall(run: ExecutionRun, step: CallLlm): Promise<WaitingFor | null> {
  const { session, state, steps } = run;
  await steps.commit();
  const failures = state.iteration.consecutive_failures;
  if (failures > 0) await session.pause(backoff(failures, BACKOFF), session.signals.cancelled);
  const admitted = await session.llm.circuits.admit(state.agent.llm_provider);
  if ("probeInMs" in admitted) {
    releaseReservation(run);
    return withoutCall(run, step, admitted);
  }
  try {
    return await makeCall(run, step, admitted);
  } finally {
    // No effect if the call's outcome was reported.
    await admitted.abandoned();
  }
}

/** Lets another provider take over from one that is away, or waits for that one. */
function withoutCall(run: ExecutionRun, step: CallLlm, circuit: OpenCircuit): WaitingFor | null {
  const { session, state, steps } = run;
  const { agent, iteration } = state;
  const reason = `${agent.llm_provider.name} is away: ${circuit.lastError}`;
  const next = candidates(agent).find(({ provider }) => session.llm.circuits.find(provider) === undefined);
  if (next !== undefined) {
    changeProvider(run, {
      kind: "change-provider",
      next,
      reason,
      errorCode: "circuit_open",
      errorRetryable: true,
    });
    return null;
  }
  const unfinished = unfinishedStep(run, step);
  const wait = waitForProbe(session.clock, agent.llm_provider, circuit, unfinished.waiting);
  const timeline = timelineOf(run, iteration.iteration + 1);
  if (wait !== null) {
    tellWait(run, timeline, wait, unfinished.waiting);
    steps.add(recordUnfinishedStep(run, { ...unfinished, waiting: wait }), () => timeline.close());
    return wait;
  }
  const outcome = { kind: "failed", code: "provider_error", message: reason, retryable: false } as const;
  const call = {
    reply: { ...EMPTY_REPLY, outcome, isUnsent: true as const },
    iteration: iteration.iteration + 1,
    timeline,
    durationMs: 0,
  };
  steps.add(recordLlmCall(run, step, call));
  return null;
}

async function makeCall(run: ExecutionRun, step: CallLlm, tracked: TrackedCall): Promise<WaitingFor | null> {
  const { session, state, steps } = run;
  const iteration = state.iteration.iteration + 1;
  const unfinished = unfinishedStep(run, step);
  const { reservation } = steps;
  steps.reservation = undefined;
  await using timeline = timelineOf(run, iteration);
  const startedAt = performance.now();
  tellPhase(session, run.execution, callPhase(state, step));
  const { reply, lostCalls } = await callModel(session, {
    request: reservation?.request ?? callRequest(run, step),
    shown: state.messages,
    timeoutMs: callTimeoutMs(state.agent),
    lostCalls: unfinished.lost_calls,
    hasWaited: unfinished.waiting?.kind === "gateway",
    ...(reservation === undefined ? {} : { mayRepeat: async () => reservation.repeat() }),
    begin: () => {
      timeline.beginAttempt(session.llm.nextAttempt());
      return noticingFirstDelta(streamReply(step, state.agent, timeline), () => void tracked.answered());
    },
  });
  await tellOutcome(tracked, session.sessionId, reply.outcome);
  const settled = settlementOf(session, reservation, reply);
  const hasFallback = candidates(state.agent).length > 0;
  const wait = waitForModel(session.clock, reply.outcome, unfinished.waiting, hasFallback);
  if (wait !== null) {
    await timeline.flush();
    tellWait(run, timeline, wait, unfinished.waiting);
    const waiting = { ...unfinished, lost_calls: lostCalls, waiting: wait };
    steps.add(withSettlement(recordUnfinishedStep(run, waiting), settled), () => timeline.close());
    return wait;
  }
  const durationMs = Math.round(performance.now() - startedAt);
  const recorded = { ...reply, outcome: outcomeWithoutWait(reply.outcome) };
  await timeline.flush();
  const masked = await maskArguments(session, step, recorded, state.alert.maskKey);
  await storeMaskedValues(session, masked.values);
  const outcome = recordLlmCall(run, step, { ...masked, iteration, timeline, durationMs });
  steps.add(withSettlement(outcome, settled), () => timeline.close());
  steps.writtenArguments = masked.written;
  return null;
}

/** Shows in the timeline that the agent begins to wait for its provider: the session's time stands still meanwhile. */
function tellWait(
  { steps }: ExecutionRun,
  timeline: TimelineWriter,
  { kind, reason, until }: WaitingFor,
  before: WaitingFor | null,
): void {
  if (kind !== "provider" || before?.kind === kind) return;
  const content = `The agent waits for its provider, until ${until} at first: ${reason}`;
  timeline.add({ type: "error", content, metadata: { waiting_for: kind }, interactionId: null });
  steps.add(timeline.record());
}

function noticingFirstDelta<H extends DeltaHandlers>(handlers: H, notice: () => void): H {
  let isNoticed = false;
  const once = () => {
    if (!isNoticed) notice();
    isNoticed = true;
  };
  return {
    ...handlers,
    thinking: (delta: string) => {
      once();
      return handlers.thinking(delta);
    },
    text: (delta: string) => {
      once();
      return handlers.text(delta);
    },
  };
}

const TEXT_ROWS: Record<Exclude<ReplyStyle, "react">, StreamKind> = {
  "final-answer": "answer",
  native: "response",
};

/**
 * Streams the deltas of one attempt into timeline rows. Thinking and plain text go out as they arrive. A ReAct reply is
 * split by section: the thought and the final answer have rows of their own, and nothing of an action is shown. `end`
 * releases text that was held back because it could have become a section's header. The line for programs at the end of an
 * action agent's answer is not shown.
 */
function streamReply(
  { style, isInterim }: Pick<CallLlm, "style" | "isInterim">,
  agent: AgentState["agent"],
  timeline: TimelineWriter,
): DeltaHandlers & { readonly end: () => Promise<void> } {
  const thinking = (delta: string) => timeline.append("thinking", delta);
  const held = isActionAgent(agent) ? new HeldClaim() : undefined;
  const appendAnswer = (kind: StreamKind, delta: string) => {
    const shown = held === undefined ? delta : held.push(delta);
    return shown === "" ? undefined : timeline.append(kind, shown);
  };
  if (style !== "react") {
    const kind = TEXT_ROWS[style];
    return { thinking, text: (delta) => appendAnswer(kind, delta), end: () => Promise.resolve() };
  }
  const sections = new ReactSections();
  const append = async (deltas: ReturnType<ReactSections["push"]>) => {
    for (const { section, delta } of deltas) {
      await (section === "thought"
        ? timeline.append("thought", delta)
        : appendAnswer(isInterim === true ? "response" : "answer", delta));
    }
  };
  return { thinking, text: (delta) => append(sections.push(delta)), end: () => append(sections.end()) };
}

const MESSAGES = {
  investigating: "Investigating",
  remediating: "Deciding about actions",
  concluding: "Drawing a conclusion from what is known",
  finalizing: "Judging the investigation",
  synthesizing: "Combining the results of the stage's agents",
} as const satisfies Partial<Record<ExecutionPhase, string>>;

/** The phase in which an agent calls its model, with the words for people. */
function callPhase(
  { agent }: Pick<AgentState, "agent">,
  { interaction }: Pick<CallLlm, "interaction">,
): { readonly phase: ExecutionPhase; readonly message: string } {
  const phase =
    interaction === "forced_conclusion"
      ? "concluding"
      : interaction === "scoring" || interaction === "memory_extraction"
        ? "finalizing"
        : interaction === "synthesis"
          ? "synthesizing"
          : isActionAgent(agent)
            ? "remediating"
            : "investigating";
  return { phase, message: MESSAGES[phase] };
}
