import { setTimeout as wait } from "node:timers/promises";
import { replyStreams } from "./reply-streams.ts";
import { recordLlmCall } from "./record-llm-call.ts";
import { openTimelineWriter } from "../persist/timeline-writer.ts";
import { generateRequest } from "./generate-request.ts";
import type { ExecutionRun } from "../execution-run.ts";
import type { CallLlm } from "../controllers/controller.ts";
import { tryLlmCall } from "./try-llm-call.ts";

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
  const reply = await tryLlmCall(session, {
    request: generateRequest(run, step.tools),
    timeoutMs: state.agent.iteration_timeout_ms,
    begin: (attempt) => {
      timeline.beginAttempt(attempt);
      return replyStreams(step.style, timeline);
    },
  });
  const durationMs = Math.round(performance.now() - startedAt);
  await recordLlmCall(run, step, { reply, iteration, timeline, durationMs });
}

/** A failed call is not made again at once: the pause doubles with each failure in a row, up to 30 s, jittered. */
async function backOff({ session, state }: ExecutionRun): Promise<void> {
  const failures = state.iteration.consecutive_failures;
  if (failures === 0) return;
  const pauseMs = Math.min(LAST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (failures - 1)) * (0.5 + Math.random() / 2);
  await wait(pauseMs, undefined, { signal: session.signal }).catch(() => session.signal.throwIfAborted());
}
