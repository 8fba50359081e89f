import type { AskingAgent, Feature, Loaded } from "../../core/feature.ts";
import { chatHistoryBytes } from "../chat/feature.ts";
import { loadJudged } from "../scoring/load-judged.ts";
import { loadConclusion } from "../scoring/checked-score.ts";
import { loadBriefing, loadRelated } from "./find-memories.ts";
import { answerMemoryTool } from "./answer-memory-tool.ts";
import { loadInherited } from "./load-inherited.ts";
import { recordBriefing } from "./record-briefing.ts";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { TerminalError } from "#shared/errors.ts";
import type { ExecutionState } from "../../state/session-state.ts";
import { buildReflectionMessages } from "../../prompts/build-reflection-messages.ts";
import { completed, type AgentState, type AgentStep } from "../../core/agent-state.ts";
import { callOnce } from "../../controllers/single-call.ts";

/** Gives agents the lessons of earlier sessions, and learns from what people say about a session. */
export const MEMORIES = {
  load: loadMemories,
  opening: recordBriefing,
  controllers: { "memory-extraction": memoryExtraction },
  tools: { recall_past_investigations: answerMemoryTool, search_past_sessions: answerMemoryTool },
} satisfies Feature;

/**
 * Reads what the first messages of an agent say of sessions: memories, and the investigation if the agent learns from it. Throws database
 * errors.
 */
async function loadMemories(asking: AskingAgent, { memories }: Loaded): Promise<Loaded> {
  const { session, agent, chain, execution, stage, steps, isOpening } = asking;
  const { memory } = chain;
  const isToolsListed = agent.mcp_servers.every((id) => steps.memory.listings.has(id));
  if (memory === undefined || !isOpening || !isToolsListed) return {};
  if (isBriefed(asking)) {
    const { stage_index } = stage.row;
    const { agent_index } = execution;
    const inherited = memories ?? (await loadInherited(session, { stage_index, agent_index }));
    return { memories: inherited ?? (await loadBriefing(session, memory)) };
  }
  if (agent.iteration_strategy !== "memory-extraction") return {};
  const maxBytes = chatHistoryBytes(agent, session.llm.maxMessageBytes);
  const judged = await loadJudged(session.db, stage.row, maxBytes);
  const feedback = await loadFeedback(session.db, execution);
  return {
    judged: { ...judged, feedback },
    checked: await loadConclusion(session.db, session.sessionId),
    memories: memories ?? (await loadRelated(session, feedback, memory)),
  };
}

/** True for an agent that investigates or acts and was started by no other. */
function isBriefed({ agent, execution, followUp }: AskingAgent): boolean {
  const isSynthesis = agent.iteration_strategy.startsWith("synthesis");
  return followUp === undefined && !isSynthesis && execution.parent_execution_id === undefined;
}

const parseContent = compileParser("feedback", Type.Object({ content: Type.String() }));

const FEEDBACK = `
SELECT content FROM timeline_events WHERE execution_id = $1 AND event_type = 'user_question'
ORDER BY sequence_number LIMIT 1`;

/** Reads the feedback that an execution learns from: the first entry of its timeline. Throws TerminalError `malformed` if there is none. */
async function loadFeedback(
  db: Queryable,
  { execution_id }: Pick<ExecutionState, "execution_id">,
): Promise<string> {
  const [row] = await selectRows(db, parseContent, FEEDBACK, [execution_id]);
  if (row === undefined) throw new TerminalError("malformed", "there is no feedback to learn from");
  return row.content;
}

/** Memory extraction: one call without tools, whose reply says what is to be remembered. None of it is a final analysis. */
function memoryExtraction(state: AgentState): AgentStep {
  const { judged, memories, messages } = state;
  if (messages.length === 0) {
    if (judged === null) throw new TerminalError("malformed", "there is no investigation to learn from");
    return {
      kind: "open-conversation",
      messages: buildReflectionMessages({ ...state, ...judged, memories }),
    };
  }
  if (messages.at(-1)?.role === "assistant") return completed(null);
  return callOnce(state, { interaction: "memory_extraction", style: "native", thinkingMayAnswer: false });
}
