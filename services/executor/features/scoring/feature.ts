import type { StepOf } from "../../core/agent-state.ts";
import type { ExecutionRun } from "../../core/execution-run.ts";
import type { AskingAgent, Feature, Loaded } from "../../core/feature.ts";
import { appendUserMessage } from "../../persist/conversation.ts";
import { chatHistoryBytes } from "../chat/feature.ts";
import { loadRelated } from "../memories/find-memories.ts";
import { recordBriefing } from "../memories/record-briefing.ts";
import { loadConclusion } from "./checked-score.ts";
import { judgeSession } from "./judge-session.ts";
import { loadJudged } from "./load-judged.ts";
import { judgedScore, lessonsIn } from "./read-score.ts";
import { startMemorizing } from "./score-rows.ts";

/** Lets a judge score a session that has ended, and learn from it. */
export const SCORING = {
  load: loadForJudge,
  perform: { "ask-for-lessons": askForLessons },
  controllers: { scoring: judgeSession },
} satisfies Feature;

/**
 * Reads the investigation and its conclusion for a judge's first messages, and the memories nearest to its analysis once it is to draw
 * lessons. Throws database errors.
 */
async function loadForJudge(
  { session, agent, chain: { memory }, stage, steps, isOpening }: AskingAgent,
  { memories }: Loaded,
): Promise<Loaded> {
  if (agent.iteration_strategy !== "scoring") return {};
  if (isOpening) {
    const maxBytes = chatHistoryBytes(agent, session.llm.maxMessageBytes);
    const judged = await loadJudged(session.db, stage.row, maxBytes);
    return { judged, checked: await loadConclusion(session.db, session.sessionId) };
  }
  const { messages } = steps.memory;
  const score = judgedScore(messages);
  if (memory === undefined || score === null || score.tool_improvement_report === null) return {};
  if (messages.at(-1)?.role !== "assistant" || lessonsIn(messages) !== null) return {};
  return {
    checked: await loadConclusion(session.db, session.sessionId),
    memories: memories ?? (await loadRelated(session, score.score_analysis, memory)),
  };
}

/**
 * Adds the question what a judge has learned, the memories that it got, and its score, which nothing can change any
 * more; all of it is committed in one step. Throws for a judge that runs outside a follow-up.
 */
function askForLessons(run: ExecutionRun, { content, score }: StepOf["ask-for-lessons"]): undefined {
  const { sessionId, followUpId: follow_up_id } = run.session;
  if (follow_up_id === undefined) throw new Error("a judge runs only in a follow-up");
  run.steps.add(appendUserMessage(run, { content, concluding: false }));
  recordBriefing(run);
  run.steps.add(startMemorizing(sessionId, { follow_up_id }, score));
}
