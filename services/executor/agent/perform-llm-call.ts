import { setTimeout as wait } from "node:timers/promises";
import { callLlm, timedOut, type LlmReply } from "../call-llm.ts";
import type { OwnedSession } from "../owned-session.ts";
import { recordLlmCall } from "../record/record-llm-call.ts";
import { openTimelineWriter, type TimelineWriter } from "../record/timeline-writer.ts";
import { generateRequest } from "./generate-request.ts";
import type { ExecutionRun } from "./run-execution.ts";
import type { AgentStep } from "./steps/agent-step.ts";

type CallStep = Extract<AgentStep, { kind: "call-llm" }>;

/** How often one call is made when the connection to the gateway breaks under it. */
const MAX_TRIES = 3;
const RETRY_MS = 500;

/**
 * Makes one LLM call, streams it live and commits its outcome; a failed call is an outcome too. Throws the session's
 * reason when called off; then nothing of the outcome is stored and the next owner makes the call again.
 */
export async function performLlmCall(run: ExecutionRun, step: CallStep): Promise<void> {
  const { session, execution, state } = run;
  const iteration = state.iteration.iteration + 1;
  const timeline = await openTimelineWriter(session, execution, iteration);
  const startedAt = performance.now();
  const reply = await tryCall(run, step, timeline);
  const durationMs = Math.round(performance.now() - startedAt);
  await recordLlmCall(run, step, { reply, iteration, timeline, durationMs });
}

async function tryCall(run: ExecutionRun, step: CallStep, timeline: TimelineWriter): Promise<LlmReply> {
  const { session, state } = run;
  const timeoutMs = state.agent.iteration_timeout_ms;
  const deadline = AbortSignal.timeout(timeoutMs);
  const signal = AbortSignal.any([session.signal, deadline]);
  const request = generateRequest(run);
  for (let attempt = 1; ; attempt++) {
    timeline.beginAttempt(chunkAttemptOf(session, attempt));
    const reply = await callLlm(
      { llm: session.llm, request, signal, timeoutMs },
      {
        thinking: (delta) => timeline.append("llm_thinking", delta),
        text: (delta) => timeline.append(step.textAs, delta),
      },
    );
    session.signal.throwIfAborted();
    if (reply.outcome.kind === "completed") return reply;
    if (deadline.aborted) return { ...reply, outcome: timedOut(timeoutMs) };
    if (reply.outcome.kind === "failed" || attempt === MAX_TRIES) return reply;
    session.log.warn({ attempt, error: reply.outcome.message }, "LLM call interrupted: making it again");
    await wait(RETRY_MS * attempt * (0.5 + Math.random()), undefined, { signal }).catch(() =>
      session.signal.throwIfAborted(),
    );
  }
}

/** Chunks of a later try, by this owner or the next, supersede those of an earlier one. */
function chunkAttemptOf(session: OwnedSession, attempt: number): number {
  return (session.epoch - 1) * MAX_TRIES + attempt;
}
