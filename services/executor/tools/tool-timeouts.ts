import { setTimeout as wait } from "node:timers/promises";
import { REPLY_WITHIN_MS } from "#shared/contracts/tool-call.ts";

/** How long the tool-runners may take; milliseconds. */
export interface ToolPatience {
  /** For one answer, which may be "still running". Then the question is asked again. */
  readonly answerWithinMs: number;
  /** While nobody serves the subject: as long as a restart may take. */
  readonly noRespondersMs: number;
  /** Before the question is asked again. */
  readonly pauseMs: number;
  /** Beyond a call's deadline, for the runner's own word on it. */
  readonly afterDeadlineMs: number;
}

export const PATIENCE: ToolPatience = {
  answerWithinMs: REPLY_WITHIN_MS + 2_500,
  noRespondersMs: 10_000,
  pauseMs: 250,
  afterDeadlineMs: 1_500,
};

/** The pause between two questions, jittered. Throws the signal's reason once it aborts. */
export async function pause({ pauseMs }: ToolPatience, signal: AbortSignal): Promise<void> {
  await wait(pauseMs * (0.5 + Math.random()), undefined, { signal }).catch(() => signal.throwIfAborted());
}
