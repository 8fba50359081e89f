import { TerminalError } from "#shared/errors.ts";
import { buildJudgeMessages } from "../../prompts/build-judge-messages.ts";
import { SCORE_REMINDER, TOOL_REPORT_TASK } from "../../prompts/judge-prompts.ts";
import { buildLessonsRequest } from "../../prompts/build-reflection-messages.ts";
import { withCheckedTags } from "./checked-score.ts";
import { judgedScore, lessonsIn, repliesWithoutScore } from "./read-score.ts";
import { completed, failed, type AgentState, type AgentStep } from "../../core/agent-state.ts";
import { callOnce } from "../../controllers/single-call.ts";

/** How often a judge is reminded that its score is missing or invalid. */
const MAX_REMINDERS = 5;

/**
 * Scoring: a judge without tools assesses the investigation, is asked again while its score is missing, and then writes what the
 * tools lacked. Where the session's configuration remembers, it then says what is to be remembered. The stored messages alone say
 * which turn is due, so that no owner asks for one again that is answered. A failed call ends it unless another provider takes over;
 * that of the lessons leaves the score as it is. Nothing of it is a final analysis.
 */
export function judgeSession(state: AgentState): AgentStep {
  const { alert, chain, judged, checked = null, memories, messages } = state;
  if (messages.length === 0) {
    if (judged === null) throw new TerminalError("malformed", "a judge runs only to score a session");
    return { kind: "open-conversation", messages: buildJudgeMessages({ ...state, ...judged }) };
  }
  const score = judgedScore(messages);
  const isJudged = score !== null && score.tool_improvement_report !== null;
  if (messages.at(-1)?.role !== "assistant") return isJudged ? drawLessons(state) : judge(state);
  if (score === null) {
    const replies = repliesWithoutScore(messages);
    if (replies > MAX_REMINDERS) return failed(state, `none of ${replies} replies ends with a valid score`);
    return { kind: "append-user-message", content: SCORE_REMINDER, concluding: false };
  }
  if (!isJudged) return { kind: "append-user-message", content: TOOL_REPORT_TASK, concluding: false };
  if (chain.memory === undefined || lessonsIn(messages) !== null) return completed(null);
  const content = buildLessonsRequest(memories, alert.nonce, checked);
  return { kind: "ask-for-lessons", content, score: withCheckedTags(score, checked) };
}

function judge(state: AgentState): AgentStep {
  return callOnce(state, { interaction: "scoring", style: "native", thinkingMayAnswer: false });
}

function drawLessons(state: AgentState): AgentStep {
  const step = callOnce(state, {
    interaction: "memory_extraction",
    style: "native",
    thinkingMayAnswer: false,
  });
  return step.kind === "finish" ? completed(null) : step;
}
