import type { AgentState } from "../../core/agent-state.ts";
import type { AgentRun, RunExecutions } from "../../next-session-step.ts";
import type { OwnedSession } from "../../core/owned-session.ts";
import { judgedScore, lessonsIn } from "../scoring/read-score.ts";
import { loadJudged } from "../scoring/load-judged.ts";
import { isBriefed } from "./is-briefed.ts";
import { loadBriefing } from "./load-briefing.ts";
import { loadFeedback } from "./load-feedback.ts";
import type { Asking } from "./query-vector.ts";
import { loadInherited } from "./load-inherited.ts";
import { loadRelated } from "./load-related.ts";

type ToldAgent = AgentRun &
  Pick<RunExecutions, "chain" | "followUp" | "stage"> & { readonly messages: AgentState["messages"] };

/**
 * Reads what an agent is told of sessions: in its first messages memories, and the investigation if it judges it or learns from it; a
 * judge that is to draw lessons is told the memories nearest to its analysis. Most agents are told nothing. Throws database errors.
 */
export async function loadTold(
  session: Pick<OwnedSession, keyof Asking | "pacing">,
  request: ToldAgent,
  historyBytes: number,
): Promise<Partial<Pick<AgentState, "memories" | "judged">>> {
  const { agent, chain, execution, messages, stage } = request;
  const { memory } = chain;
  const recorded = session.pacing?.memories(execution.execution_id);
  if (agent.iteration_strategy === "scoring") {
    if (messages.length === 0) return { judged: await loadJudged(session.db, stage.row, historyBytes) };
    const score = judgedScore(messages);
    if (memory === undefined || score === null || score.tool_improvement_report === null) return {};
    if (messages.at(-1)?.role !== "assistant" || lessonsIn(messages) !== null) return {};
    return { memories: recorded ?? (await loadRelated(session, score.score_analysis, memory)) };
  }
  if (memory === undefined || messages.length > 0) return {};
  if (isBriefed(request)) {
    const { stage_index } = stage.row;
    const { agent_index } = execution;
    const inherited = recorded ?? (await loadInherited(session, { stage_index, agent_index }));
    return { memories: inherited ?? (await loadBriefing(session, memory)) };
  }
  if (agent.iteration_strategy !== "memory-extraction") return {};
  const judged = await loadJudged(session.db, stage.row, historyBytes);
  const feedback = await loadFeedback(session.db, execution);
  return {
    judged: { ...judged, feedback },
    memories: recorded ?? (await loadRelated(session, feedback, memory)),
  };
}
