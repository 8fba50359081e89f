import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { literals } from "#shared/contracts/literals.ts";
import {
  RUN_STATUSES,
  STAGE_TYPES,
  TIMELINE_EVENT_TYPES,
  TIMELINE_STATUSES,
  isChainStage,
} from "#shared/contracts/statuses.ts";
import { Uuid } from "#shared/contracts/uuid.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { TerminalError } from "#shared/errors.ts";
import type { ChatContext, ChatExchange, InvestigatedStage } from "../prompts/chat-input.ts";
import type { ContextEvent } from "../prompts/format-context.ts";
import { chooseRows, RowSize } from "./choose-rows.ts";
import type { StageState } from "./session-state.ts";

const TextOrNull = Type.Union([Type.String(), Type.Null()]);

const parseQuestion = compileParser(
  "question of a chat",
  Type.Object({ content: Type.String(), executive_summary: TextOrNull }),
);

const QUESTION = `
SELECT m.content, s.executive_summary
FROM stages g JOIN chat_user_messages m ON m.message_id = g.chat_user_message_id
  JOIN alert_sessions s ON s.session_id = g.session_id
WHERE g.stage_id = $1`;

const Run = Type.Object({
  stage_id: Uuid,
  stage_name: Type.String(),
  stage_type: literals(STAGE_TYPES),
  stage_status: literals(RUN_STATUSES),
  expected_agent_count: Type.Integer(),
  question: TextOrNull,
  author: TextOrNull,
  execution_id: Uuid,
  agent_name: Type.String(),
  agent_index: Type.Integer(),
  backend: Type.String(),
  model: Type.String(),
  status: literals(RUN_STATUSES),
  error_message: TextOrNull,
});
type Run = Static<typeof Run>;
const parseRun = compileParser("execution before a question", Run);

/** Other work that follows the session is no part of its history. */
const RUNS = `
SELECT g.stage_id, g.stage_name, g.stage_type, g.status AS stage_status, g.expected_agent_count, m.content AS question,
       m.author, e.execution_id, e.agent_name, e.agent_index, coalesce(e.llm_backend, '') AS backend,
       coalesce(e.model_name, e.llm_provider) AS model, e.status, e.error_message
FROM stages g JOIN agent_executions e USING (stage_id) LEFT JOIN chat_user_messages m ON m.message_id = g.chat_user_message_id
WHERE g.session_id = $1 AND g.stage_index < $2 AND g.stage_type IN ('investigation', 'action', 'chat')
  AND e.parent_execution_id IS NULL
ORDER BY g.stage_index, e.agent_index`;

const parseSize = compileParser("size of a timeline row", RowSize);

/** The summary and the questions have places of their own. */
const SIZES = `
SELECT t.event_id, t.event_type, (octet_length(t.content) + coalesce(octet_length(t.metadata::text), 0))::int AS bytes
FROM timeline_events t JOIN agent_executions e USING (execution_id) JOIN stages g ON g.stage_id = e.stage_id
WHERE t.execution_id = ANY($1::uuid[]) AND t.status = 'completed'
  AND t.event_type NOT IN ('provider_fallback', 'executive_summary', 'user_question')
ORDER BY g.stage_index, e.agent_index, t.sequence_number`;

const parseEvent = compileParser(
  "timeline row of a history",
  Type.Object({
    execution_id: Uuid,
    event_type: literals(TIMELINE_EVENT_TYPES),
    status: literals(TIMELINE_STATUSES),
    content: Type.String(),
    metadata: Type.Union([Type.Object({}, { additionalProperties: true }), Type.Null()]),
  }),
);

const EVENTS = `
SELECT execution_id, event_type, status, content, metadata FROM timeline_events
WHERE event_id = ANY($1::uuid[]) ORDER BY sequence_number`;

/**
 * Reads what a question is about: the investigation, the executive summary and the chat before it, only rows that are
 * completed, in at most so many bytes. What is left out follows from the rows' sizes alone, so that every executor leaves out
 * the same. Throws TerminalError `message_too_large` if the final answers alone are too large.
 */
export async function loadChat(db: Queryable, stage: StageState, maxBytes: number): Promise<ChatContext> {
  const { stage_id } = stage;
  const [asked] = await selectRows(db, parseQuestion, QUESTION, [stage_id]);
  if (asked === undefined) throw new TerminalError("malformed", `stage ${stage_id} has no question`);
  const investigation = await loadInvestigation(db, stage, { maxBytes, withChat: true });
  return { question: asked.content, executiveSummary: asked.executive_summary, ...investigation };
}

/** Reads the stages before the one with this index, of which `withChat` says whether those of a chat count. Throws as `loadChat`. */
export async function loadInvestigation(
  db: Queryable,
  { session_id, stage_index }: Pick<StageState, "session_id" | "stage_index">,
  { maxBytes, withChat }: { readonly maxBytes: number; readonly withChat: boolean },
): Promise<Pick<ChatContext, "stages" | "history" | "omitted">> {
  const found = await selectRows(db, parseRun, RUNS, [session_id, stage_index]);
  const runs = found.filter((run) => withChat || isChainStage(run));
  const ids = runs.map(({ execution_id }) => execution_id);
  const sizes = await selectRows(db, parseSize, SIZES, [ids]);
  const { kept, omitted } = chooseRows(sizes, maxBytes);
  const rows = await selectRows(db, parseEvent, EVENTS, [kept]);
  const eventsOf = (id: string): ContextEvent[] =>
    rows.filter(({ execution_id }) => execution_id === id).map(({ execution_id: _id, ...event }) => event);
  const stages = Map.groupBy(runs, (run) => run.stage_id);
  return {
    stages: [...stages.values()].flatMap((stage) => investigated(stage, eventsOf)),
    history: [...stages.values()].flatMap((stage) => exchange(stage, eventsOf)),
    omitted,
  };
}

function investigated(runs: readonly Run[], eventsOf: (id: string) => ContextEvent[]): InvestigatedStage[] {
  const [stage] = runs;
  if (stage === undefined || !isChainStage(stage)) return [];
  const agents = runs.map((run) => ({
    index: run.agent_index,
    name: run.agent_name,
    backend: run.backend,
    model: run.model,
    status: run.status,
    errorMessage: run.error_message,
    events: eventsOf(run.execution_id),
  }));
  const { expected_agent_count: expected } = stage;
  return [
    {
      name: stage.stage_name,
      type: stage.stage_type,
      status: stage.stage_status,
      agents: agents.filter(({ index }) => index <= expected),
      synthesis: agents.find(({ index }) => index > expected) ?? null,
    },
  ];
}

function exchange([run]: readonly Run[], eventsOf: (id: string) => ContextEvent[]): ChatExchange[] {
  if (run?.stage_type !== "chat" || run.question === null) return [];
  return [
    {
      question: run.question,
      author: run.author ?? "",
      status: run.stage_status,
      events: eventsOf(run.execution_id),
    },
  ];
}
