import { uuidFrom } from "#shared/uuid-from.ts";
import { INITIAL_ITERATION_STATE } from "#shared/contracts/iteration-state.ts";
import { MAX_MEMORY_CHARACTERS } from "#shared/contracts/memory.ts";
import { isTerminal, type RunStatus, type StageType } from "#shared/contracts/statuses.ts";
import { AGENT_EXECUTIONS } from "#shared/database/tables/agent-executions.ts";
import { ALERT_SESSIONS } from "#shared/database/tables/alert-sessions.ts";
import { INVESTIGATION_MEMORIES } from "#shared/database/tables/memories.ts";
import { SESSION_REVIEW_ACTIVITIES } from "#shared/database/tables/reviews.ts";
import { SESSION_RUNTIME } from "#shared/database/tables/session-runtime.ts";
import { STAGES } from "#shared/database/tables/stages.ts";
import type { Table } from "#shared/database/tables/table.ts";
import { TIMELINE_EVENTS } from "#shared/database/tables/timeline-events.ts";
import { safeCut } from "#shared/safe-cut.ts";
import { entryRows } from "./entry-rows.ts";
import type { Execution, OriginalSession, Stage } from "./original.ts";

/** Rows of one table; all have the same columns, and the others have their defaults. The database checks the values. */
export interface TableRows {
  readonly table: Table;
  readonly rows: readonly object[];
}

/** Where a session is imported from, and who sees it here. */
export interface ImportInto {
  /** The address of the original. */
  readonly from: string;
  readonly maskKey: string;
  readonly teams: readonly string[];
  /** ISO 8601. */
  readonly now: string;
}

/** A stage as it is stored, and the executions in it, those of its synthesis behind those of its agents. */
export interface StoredStage {
  readonly own: Stage;
  readonly synthesis: Stage | undefined;
  readonly type: StageType;
  readonly executions: readonly {
    readonly of: Omit<Execution, "sub_agents">;
    readonly index: number;
    readonly parent: string | null;
  }[];
}

/** The members of an answer that are columns of the table by the same names, which blanks divide; or the defaults of the columns. */
function take({ columns }: Table, from: object, names: string) {
  const given = new Map<string, unknown>(Object.entries(from));
  return Object.fromEntries(
    names.split(" ").map((name) => [name, given.get(name) ?? columns[name]?.default ?? null]),
  );
}

/**
 * The rows of a session that another TARSy has investigated, in the order of their foreign keys. Ids follow from those of the original. The
 * texts are not masked yet.
 */
export function rowsOfSession(original: OriginalSession, into: ImportInto): readonly TableRows[] {
  const { session, entries, activities, memories } = original;
  const session_id = session.id.toLowerCase();
  const id = (given: string) => uuidFrom(given, session_id);
  const stages = storedStages(session.stages);
  return [
    { table: ALERT_SESSIONS, rows: [sessionRow(original, into)] },
    { table: SESSION_RUNTIME, rows: [runtimeRow(original, into, stages)] },
    {
      table: STAGES,
      rows: stages.map(({ own, synthesis, type }, position) => ({
        ...take(STAGES, own, "stage_name parallel_type started_at"),
        ...take(STAGES, synthesis ?? own, "completed_at"),
        stage_id: id(own.id),
        session_id,
        stage_index: position + 1,
        expected_agent_count: agentsOf(own),
        stage_type: type,
        status: ended((synthesis ?? own).status),
        actions_executed: type === "action" ? (session.actions_executed ?? null) : null,
      })),
    },
    { table: AGENT_EXECUTIONS, rows: executionRows(stages, { id, session_id }) },
    { table: TIMELINE_EVENTS, rows: entryRows(entries, stages, { id, session_id }) },
    {
      table: SESSION_REVIEW_ACTIVITIES,
      rows: activities.map((step) => ({
        ...take(
          SESSION_REVIEW_ACTIVITIES,
          step,
          "actor action from_status to_status note created_at quality_rating investigation_feedback",
        ),
        session_id,
      })),
    },
    {
      table: INVESTIGATION_MEMORIES,
      rows: memories.map((memory) => ({
        ...take(
          INVESTIGATION_MEMORIES,
          memory,
          "category valence seen_count alert_type chain_id created_at updated_at last_seen_at",
        ),
        memory_id: id(memory.id),
        content: memory.content.slice(0, safeCut(memory.content, MAX_MEMORY_CHARACTERS)),
        // The rating of its session is part of it already.
        base_confidence: Math.min(1, Math.max(0.01, memory.confidence)),
        deprecation: memory.deprecated === true ? true : null,
        source_session_id: session_id,
        teams: into.teams,
      })),
    },
  ];
}

/** What the rows of a session have in common. */
export interface Ids {
  /** The id here of what has this id there. */
  readonly id: (given: string) => string;
  readonly session_id: string;
}

function sessionRow({ session }: OriginalSession, { from, maskKey, teams, now }: ImportInto) {
  return {
    ...take(
      ALERT_SESSIONS,
      session,
      "alert_data alert_type status chain_id author mcp_selection error_message final_analysis executive_summary executive_summary_error runbook_url slack_message_fingerprint created_at review_status assignee action_taken quality_rating investigation_feedback feedback_edited feedback_edited_by feedback_edited_at started_at completed_at",
    ),
    session_id: session.id.toLowerCase(),
    agent_type: session.alert_type ?? "",
    completed_at: session.completed_at ?? session.created_at,
    session_metadata: {
      imported_from: from,
      imported_at: now,
      notice: `Imported from ${from}: it can be read and reviewed here, but not continued.`,
    },
    // It has no configuration, so no executor can run it.
    config_hash: "",
    teams,
    mask_key: maskKey,
  };
}

function runtimeRow(
  { listed, session }: OriginalSession,
  { now }: ImportInto,
  stages: readonly StoredStage[],
) {
  const chain = stages.filter(({ type }) => type !== "chat" && type !== "scoring");
  const shown = chain.flatMap(({ own, synthesis }) => (synthesis === undefined ? [own] : [own, synthesis]));
  const count = (...statuses: readonly RunStatus[]) =>
    shown.filter(({ status }) => statuses.includes(status)).length;
  const { llm_interaction_count: calls = 1, unpriced_interaction_count: unpriced = 0 } = session;
  return {
    ...take(
      SESSION_RUNTIME,
      session,
      "llm_interaction_count mcp_interaction_count chat_message_count estimated_cost_usd unpriced_interaction_count input_tokens output_tokens total_tokens",
    ),
    ...take(SESSION_RUNTIME, listed, "provider_fallback_count"),
    session_id: session.id.toLowerCase(),
    // It has no events here.
    events_purged_at: now,
    total_stages: shown.length,
    completed_stages: count("completed"),
    failed_stages: count("failed", "timed_out"),
    has_parallel_stages: chain.some(({ own }) => own.parallel_type !== undefined),
    has_action_stages: chain.some(({ type }) => type === "action"),
    priced_interaction_count: session.estimated_cost_usd === undefined ? 0 : Math.max(1, calls - unpriced),
  };
}

const FOLLOWING: Readonly<Record<string, StageType>> = { chat: "chat", scoring: "scoring", action: "action" };

/** A synthesis is a stage of its own there, and here an agent behind those of its stage; the executive summary is no stage here. */
function storedStages(given: readonly Stage[]): readonly StoredStage[] {
  const ordered = given.toSorted((one, other) => one.stage_index - other.stage_index);
  const synthesisOf = ({ id }: Stage) =>
    ordered.find((stage) => stage.stage_type === "synthesis" && stage.referenced_stage_id === id);
  const syntheses = new Set(ordered.map(synthesisOf));
  const own = ordered.filter((stage) => stage.stage_type !== "exec_summary" && !syntheses.has(stage));
  return own.map((stage) => {
    const synthesis = synthesisOf(stage);
    const type = FOLLOWING[stage.stage_type] ?? "investigation";
    const executions = [
      ...placed(stage, 0),
      ...(synthesis === undefined ? [] : placed(synthesis, agentsOf(stage))),
    ];
    return { own: stage, synthesis, type, executions };
  });
}

function placed({ executions = [] }: Stage, after: number): StoredStage["executions"] {
  return executions.flatMap(({ sub_agents: children = [], ...of }) => [
    { of, index: of.agent_index + after, parent: null },
    ...children.map((child) => ({ of: child, index: child.agent_index, parent: of.execution_id })),
  ]);
}

/** The number of a stage's agents without its synthesis. */
function agentsOf({ expected_agent_count: expected = 1, executions = [] }: Stage): number {
  return Math.max(1, expected, ...executions.map(({ agent_index: index }) => index));
}

/** What runs on there when its session has ended runs no more. */
function ended(status: RunStatus): RunStatus {
  return isTerminal(status) ? status : "cancelled";
}

function executionRows(stages: readonly StoredStage[], { id, session_id }: Ids): readonly object[] {
  return stages.flatMap(({ own, executions }) =>
    executions.map(({ of, index, parent }) => ({
      ...take(
        AGENT_EXECUTIONS,
        of,
        "agent_name duration_ms error_message task started_at completed_at input_tokens output_tokens total_tokens llm_backend model_name original_llm_provider original_llm_backend original_model_name estimated_cost_usd unpriced_interaction_count",
      ),
      execution_id: id(of.execution_id),
      stage_id: id(own.id),
      session_id,
      agent_index: index,
      status: ended(of.status),
      // Which one it had is not said.
      iteration_strategy: "native-thinking",
      iteration_state: INITIAL_ITERATION_STATE,
      llm_provider: take(AGENT_EXECUTIONS, of, "llm_provider")["llm_provider"] ?? "",
      parent_execution_id: parent === null ? null : id(parent),
    })),
  );
}
