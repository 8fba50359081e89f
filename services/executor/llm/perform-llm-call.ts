import type { WaitingFor } from "#shared/contracts/waiting-for.ts";
import { backoff, pause } from "#shared/pause.ts";
import type { CallLlm, ReplyStyle } from "../controllers/controller.ts";
import { timelineOf, type ExecutionRun } from "../execution-run.ts";
import { recordUnfinishedStep, unfinishedStep } from "../persist/unfinished-step.ts";
import type { StreamKind, TimelineWriter } from "../persist/timeline-writer.ts";
import { insertVariables } from "../prompts/variable-placeholders.ts";
import { ReactSections } from "../react-parser/react-sections.ts";
import { callTimeoutMs } from "./call-timeout.ts";
import { callLlm, type DeltaHandlers } from "./call-llm.ts";
import { generateRequest } from "./generate-request.ts";
import { recordLlmCall } from "./record-llm-call.ts";
import { outcomeWithoutWait, waitForModel } from "./wait-for-model.ts";

const BACKOFF = { firstMs: 1_000, lastMs: 30_000 };

/**
 * Makes one LLM call, streams it live and adds its outcome to the agent's steps; a failed call is an outcome too. If the
 * model cannot be reached for now, adds and returns what the agent waits for; null otherwise. Throws the session's reason when
 * cancelled; then nothing of the outcome is stored and the next owner repeats the call.
 */
export async function performLlmCall(run: ExecutionRun, step: CallLlm): Promise<WaitingFor | null> {
  const { session, state, steps } = run;
  const iteration = state.iteration.iteration + 1;
  const failures = state.iteration.consecutive_failures;
  if (failures > 0) await pause(backoff(failures, BACKOFF), session.signal);
  const unfinished = unfinishedStep(run, step);
  const timeline = timelineOf(run, iteration);
  const startedAt = performance.now();
  const { reply, lostCalls } = await callLlm(session, {
    request: generateRequest(withVariables(run), step.tools),
    timeoutMs: callTimeoutMs(state.agent),
    lostCalls: unfinished.lost_calls,
    hasWaited: unfinished.waiting?.kind === "gateway",
    begin: () => {
      timeline.beginAttempt(session.nextLlmAttempt());
      return streamReply(step.style, timeline);
    },
  });
  const wait = waitForModel(session, reply.outcome, unfinished.waiting);
  if (wait !== null) {
    await timeline.flush();
    const waiting = { ...unfinished, lost_calls: lostCalls, waiting: wait };
    steps.add(recordUnfinishedStep(run, waiting), () => timeline.close());
    return wait;
  }
  const durationMs = Math.round(performance.now() - startedAt);
  const recorded = { ...reply, outcome: outcomeWithoutWait(reply.outcome) };
  await timeline.flush();
  const outcome = recordLlmCall(run, step, { reply: recorded, iteration, timeline, durationMs });
  steps.add(outcome, () => timeline.close());
  return null;
}

/** The conversation with the values of variables, which are not stored. Only messages of ours have any. */
function withVariables({ session, execution, state }: ExecutionRun) {
  const { agent, alert } = state;
  const messages = state.messages.map((message) =>
    message.role === "assistant" || message.role === "tool"
      ? message
      : { ...message, content: insertVariables(message.content, alert.nonce, session.readVariable) },
  );
  return { session, execution, state: { agent, messages } };
}

const TEXT_ROWS: Record<Exclude<ReplyStyle, "react">, StreamKind> = {
  "final-answer": "answer",
  native: "response",
};

/**
 * Streams the deltas of one attempt into timeline rows. Thinking and plain text go out as they arrive. A ReAct reply is
 * split by section: the thought and the final answer have rows of their own, and nothing of an action is shown. `end`
 * releases text that was held back because it could have become a section's header.
 */
function streamReply(
  style: ReplyStyle,
  timeline: TimelineWriter,
): DeltaHandlers & { readonly end: () => Promise<void> } {
  const thinking = (delta: string) => timeline.append("thinking", delta);
  if (style !== "react") {
    const kind = TEXT_ROWS[style];
    return { thinking, text: (delta) => timeline.append(kind, delta), end: () => Promise.resolve() };
  }
  const sections = new ReactSections();
  const append = async (deltas: ReturnType<ReactSections["push"]>) => {
    for (const { section, delta } of deltas) {
      await timeline.append(section === "thought" ? "thought" : "answer", delta);
    }
  };
  return { thinking, text: (delta) => append(sections.push(delta)), end: () => append(sections.end()) };
}
