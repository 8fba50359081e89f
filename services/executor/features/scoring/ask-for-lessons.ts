import type { AskForLessons } from "../../core/agent-state.ts";
import type { ExecutionRun } from "../../core/execution-run.ts";
import { recordBriefing } from "../memories/record-briefing.ts";
import { appendUserMessage } from "../../persist/conversation.ts";
import { startMemorizing } from "./score-rows.ts";

/**
 * Adds the question what a judge has learned, which memories it was shown, and its score, which nothing can change any more; all of
 * it is committed in one step. Throws for a judge that runs outside a follow-up.
 */
export function askForLessons(run: ExecutionRun, { content, score }: AskForLessons): void {
  const { sessionId, followUpId: follow_up_id } = run.session;
  if (follow_up_id === undefined) throw new Error("a judge runs only in a follow-up");
  run.steps.add(appendUserMessage(run, { content, concluding: false }));
  recordBriefing(run);
  run.steps.add(startMemorizing(sessionId, { follow_up_id }, score));
}
