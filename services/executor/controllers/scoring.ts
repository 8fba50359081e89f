import { TerminalError } from "#shared/errors.ts";
import { buildJudgeMessages } from "../prompts/build-judge-messages.ts";
import { SCORE_REMINDER, TOOL_REPORT_TASK } from "../prompts/judge-prompts.ts";
import { judgedScore, repliesWithoutScore } from "../scoring/read-score.ts";
import { completed, failed, type AgentState, type AgentStep } from "./controller.ts";
import { callOnce } from "./single-call.ts";

/** How often a judge is reminded that its score is missing or invalid. */
const MAX_REMINDERS = 5;

/**
 * Scoring: a judge without tools assesses the investigation, is asked again while its score is missing, and then writes what the
 * tools lacked. The stored messages alone say which turn is due, so that no owner asks for one again that is answered. A
 * failed call ends it unless another provider takes over. Nothing of it is a final analysis.
 */
export function scoring(state: AgentState): AgentStep {
  const { judged, messages } = state;
  if (messages.length === 0) {
    if (judged === null) throw new TerminalError("malformed", "a judge runs only to score a session");
    return { kind: "open-conversation", messages: buildJudgeMessages({ ...state, ...judged }) };
  }
  const call = callOnce(state, { interaction: "scoring", style: "native", thinkingMayAnswer: false });
  if (messages.at(-1)?.role !== "assistant") return call;
  const score = judgedScore(messages);
  if (score === null) {
    const replies = repliesWithoutScore(messages);
    if (replies > MAX_REMINDERS) return failed(state, `none of ${replies} replies ends with a valid score`);
    return { kind: "append-user-message", content: SCORE_REMINDER, concluding: false };
  }
  if (score.tool_improvement_report === null) {
    return { kind: "append-user-message", content: TOOL_REPORT_TASK, concluding: false };
  }
  return completed(null);
}
