import { setTimeout as wait } from "node:timers/promises";
import { callLlm, timedOut, type LlmReply } from "../call-llm.ts";
import type { OwnedSession } from "../owned-session.ts";
import { replyStreams } from "../record/reply-streams.ts";
import { recordLlmCall } from "../record/record-llm-call.ts";
import { openTimelineWriter, type TimelineWriter } from "../record/timeline-writer.ts";
import { generateRequest } from "./generate-request.ts";
import type { ExecutionRun } from "./execution-run.ts";
import type { CallLlm } from "./steps/agent-step.ts";

/** How often one call is made when the connection to the gateway breaks under it. */
const MAX_TRIES = 3;
const RETRY_MS = 500;
const FIRST_PAUSE_MS = 1_000;
const LAST_PAUSE_MS = 30_000;

/**
 * Makes one LLM call, streams it live and commits its outcome; a failed call is an outcome too. Throws the session's
 * reason when called off; then nothing of the outcome is stored and the next owner makes the call again.
 */
export async function performLlmCall(run: ExecutionRun, step: CallLlm): Promise<void> {
  const { session, execution, state } = run;
  const iteration = state.iteration.iteration + 1;
  await backOff(run);
  const timeline = await openTimelineWriter(session, execution, iteration);
  const startedAt = performance.now();
  const reply = await tryCall(run, step, timeline);
  const durationMs = Math.round(performance.now() - startedAt);
  await recordLlmCall(run, step, { reply, iteration, timeline, durationMs });
}

async function tryCall(run: ExecutionRun, step: CallLlm, timeline: TimelineWriter): Promise<LlmReply> {
  const { session, state } = run;
  const timeoutMs = state.agent.iteration_timeout_ms;
  const deadline = AbortSignal.timeout(timeoutMs);
  const signal = AbortSignal.any([session.signal, deadline]);
  const request = generateRequest(run, step.tools);
  for (let attempt = 1; ; attempt++) {
    timeline.beginAttempt(chunkAttemptOf(session, attempt));
    const streams = replyStreams(step.style, timeline);
    const reply = await callLlm({ llm: session.llm, request, signal, timeoutMs }, streams);
    if (reply.outcome.kind === "completed") await streams.end();
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

/** A failed call is not made again at once: the pause doubles with each failure in a row, up to 30 s, jittered. */
async function backOff({ session, state }: ExecutionRun): Promise<void> {
  const failures = state.iteration.consecutive_failures;
  if (failures === 0) return;
  const pauseMs = Math.min(LAST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (failures - 1)) * (0.5 + Math.random() / 2);
  await wait(pauseMs, undefined, { signal: session.signal }).catch(() => session.signal.throwIfAborted());
}

/** Chunks of a later try, by this owner or the next, supersede those of an earlier one. */
function chunkAttemptOf(session: OwnedSession, attempt: number): number {
  return (session.epoch - 1) * MAX_TRIES + attempt;
}
