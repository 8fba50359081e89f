import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { literals } from "#shared/contracts/literals.ts";
import { RUN_STATUSES, STAGE_TYPES, TIMELINE_EVENT_TYPES, isChainStage } from "#shared/contracts/statuses.ts";
import { Uuid } from "#shared/contracts/uuid.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { TerminalError } from "#shared/errors.ts";
import type {
  ChatContext,
  ChatExchange,
  InvestigatedStage,
  InvestigatingAgent,
  OmittedRows,
} from "../../prompts/chat-input.ts";
import type { StageState } from "../../state/session-state.ts";
import type { ResolvedAgent } from "#shared/contracts/resolved-chain.ts";
import { CHARS_PER_TOKEN } from "#shared/contracts/result-sizes.ts";
import { rowMembers } from "#shared/database/tables/row-members.ts";
import { TIMELINE_EVENTS } from "#shared/database/tables/timeline-events.ts";
import type { Feature } from "../../core/feature.ts";

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
  parent_execution_id: Type.Union([Uuid, Type.Null()]),
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
       m.author, e.execution_id, e.parent_execution_id, e.agent_name, e.agent_index, coalesce(e.llm_backend, '') AS backend,
       coalesce(e.model_name, e.llm_provider) AS model, e.status, e.error_message
FROM stages g JOIN agent_executions e USING (session_id, stage_id) LEFT JOIN chat_user_messages m ON m.message_id = g.chat_user_message_id
WHERE g.session_id = $1 AND g.stage_index < $2 AND g.stage_type IN ('investigation', 'action', 'chat')
ORDER BY g.stage_index, e.agent_index`;

/** A completed row of a timeline and its size. */
const RowSize = Type.Object({
  event_id: Uuid,
  event_type: literals(TIMELINE_EVENT_TYPES),
  bytes: Type.Integer(),
  /** True for a row of an agent that another one started. */
  is_sub_agent: Type.Boolean(),
});
type RowSize = Static<typeof RowSize>;

const parseSize = compileParser("size of a timeline row", RowSize);

/** The summary and the questions have places of their own. The rows of sub-agents come after those of the agent that started them. */
const SIZES = `
SELECT t.event_id, t.event_type, (octet_length(t.content) + coalesce(octet_length(t.metadata::text), 0))::int AS bytes,
       e.parent_execution_id IS NOT NULL AS is_sub_agent
FROM timeline_events t JOIN agent_executions e USING (execution_id) JOIN stages g ON g.stage_id = e.stage_id
  LEFT JOIN agent_executions p ON p.execution_id = e.parent_execution_id
WHERE t.execution_id = ANY($1::uuid[]) AND t.status = 'completed'
  AND t.event_type NOT IN ('provider_fallback', 'executive_summary', 'user_question')
ORDER BY g.stage_index, coalesce(p.agent_index, e.agent_index), p.agent_index IS NOT NULL, e.agent_index, t.sequence_number`;

const parseEvent = compileParser(
  "timeline row of a history",
  Type.Object(rowMembers(TIMELINE_EVENTS, "execution_id", "event_type", "status", "content", "metadata")),
);

const EVENTS = `
SELECT execution_id, event_type, status, content, metadata FROM timeline_events
WHERE event_id = ANY($1::uuid[]) ORDER BY sequence_number`;

/**
 * Reads what a question is about: the investigation, the executive summary and the chat before it, only rows that are
 * completed, in at most so many bytes. The rows' sizes alone decide what is left out, so that every executor leaves out
 * the same. Throws TerminalError `message_too_large` if the final answers alone are too large.
 */
async function loadChat(db: Queryable, stage: StageState, maxBytes: number): Promise<ChatContext> {
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
  const events = Map.groupBy(rows, (row) => row.execution_id);
  const started = Map.groupBy(runs, (run) => run.parent_execution_id);
  const agentOf = (run: Run): InvestigatingAgent => ({
    name: run.agent_name,
    backend: run.backend,
    model: run.model,
    status: run.status,
    errorMessage: run.error_message,
    events: (events.get(run.execution_id) ?? []).map(({ execution_id: _id, ...event }) => event),
    subAgents: (started.get(run.execution_id) ?? []).map(agentOf),
  });
  const stages = [...Map.groupBy(started.get(null) ?? [], (run) => run.stage_id).values()];
  return {
    stages: stages.flatMap((stage) => investigated(stage, agentOf)),
    history: stages.flatMap((stage) => exchange(stage, agentOf)),
    omitted,
  };
}

/** `runs` are those of one stage, without sub-agents. */
function investigated(runs: readonly Run[], agentOf: (run: Run) => InvestigatingAgent): InvestigatedStage[] {
  const [stage] = runs;
  if (stage === undefined || !isChainStage(stage)) return [];
  const { expected_agent_count: expected } = stage;
  const synthesis = runs.find(({ agent_index }) => agent_index > expected);
  return [
    {
      name: stage.stage_name,
      type: stage.stage_type,
      status: stage.stage_status,
      agents: runs.filter(({ agent_index }) => agent_index <= expected).map(agentOf),
      synthesis: synthesis === undefined ? null : agentOf(synthesis),
    },
  ];
}

function exchange([run]: readonly Run[], agentOf: (run: Run) => InvestigatingAgent): ChatExchange[] {
  if (run?.stage_type !== "chat" || run.question === null) return [];
  const { events, subAgents } = agentOf(run);
  return [{ question: run.question, author: run.author ?? "", status: run.stage_status, events, subAgents }];
}

type Omissible = keyof OmittedRows;

/** In the order in which they are left out. */
const ORDER: readonly Omissible[] = ["thoughts", "results", "steps"];

const MIB = 1024 * 1024;

/**
 * The rows of a history, oldest first, that fit into so many bytes: thinking is left out first, then tool results, then other
 * steps, of each kind the oldest rows and only as many as must be. Final analyses always stay, except those of sub-agents, which
 * are steps of the agent that started them; throws TerminalError `message_too_large` if they alone are too large.
 */
function chooseRows(
  rows: readonly RowSize[],
  maxBytes: number,
): { readonly kept: readonly string[]; readonly omitted: OmittedRows } {
  const left = new Set<string>();
  const omitted = { thoughts: 0, results: 0, steps: 0 };
  let bytes = rows.reduce((sum, row) => sum + row.bytes, 0);
  for (const kind of ORDER) {
    for (const row of rows) {
      if (bytes <= maxBytes) break;
      if (kindOf(row) !== kind) continue;
      left.add(row.event_id);
      omitted[kind] += 1;
      bytes -= row.bytes;
    }
  }
  if (bytes > maxBytes) {
    const [found, allowed] = [bytes, maxBytes].map((size) => `${(size / MIB).toFixed(1)} MiB`);
    throw new TerminalError(
      "message_too_large",
      `the answers of the investigation and its chat hold ${found}, but the model may be sent ${allowed} of them: give the chat a provider with a larger max_tool_result_tokens`,
    );
  }
  return { kept: rows.flatMap(({ event_id }) => (left.has(event_id) ? [] : [event_id])), omitted };
}

/** Undefined for a row that always stays. */
function kindOf({ event_type: type, is_sub_agent: isSubAgent }: RowSize): Omissible | undefined {
  if (type === "final_analysis" && !isSubAgent) return undefined;
  if (type === "llm_thinking") return "thoughts";
  return type === "tool_result" || type === "mcp_tool_summary" ? "results" : "steps";
}

/** The part of what a model takes that the history may have; the rest is for the alert, the tools and their results. */
const HISTORY_SHARE = 0.5;

/** Lets an agent answer a question about a session that has ended. */
export const CHAT = {
  load: async ({ session, agent, stage, followUp, isOpening }) => {
    if (!isOpening || followUp?.kind !== "chat") return {};
    const maxBytes = chatHistoryBytes(agent, session.llm.maxMessageBytes);
    return { chat: await loadChat(session.db, stage.row, maxBytes) };
  },
} satisfies Feature;

/**
 * How many bytes of history a question may be sent with. The smallest of the providers that may answer decides: with a limit
 * of each provider, a change of the provider would change the history.
 */
export function chatHistoryBytes(
  { llm_provider, fallback_providers = [] }: Pick<ResolvedAgent, "llm_provider" | "fallback_providers">,
  maxMessageBytes: number,
): number {
  const tokens = [llm_provider, ...fallback_providers].map((provider) => provider.max_tool_result_tokens);
  return HISTORY_SHARE * Math.min(maxMessageBytes, Math.min(...tokens) * CHARS_PER_TOKEN);
}
