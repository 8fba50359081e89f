import type { EntityManager } from "typeorm";
import {
  AgentExecutionEntity,
  AlertSessionEntity,
  ApprovalEntity,
  FollowUpEntity,
  LlmInteractionEntity,
  McpInteractionEntity,
  MessageEntity,
  SessionRunbookEntity,
  SessionRuntimeEntity,
  SessionScoreEntity,
  StageEntity,
  TimelineEventEntity,
  ToolResultEntity,
} from "#shared/database/entities.ts";
import type { AgentExecution } from "#shared/database/tables/agent-executions.ts";
import type { AlertSession } from "#shared/database/tables/alert-sessions.ts";
import type { Approval } from "#shared/database/tables/approvals.ts";
import { readConfig } from "#shared/database/resolved-configs.ts";
import type { FollowUp } from "#shared/database/tables/follow-ups.ts";
import type { LlmInteraction } from "#shared/database/tables/llm-interactions.ts";
import type { Message } from "#shared/database/tables/messages.ts";
import type { SessionRuntime } from "#shared/database/tables/session-runtime.ts";
import type { SessionScore } from "#shared/database/tables/session-scores.ts";
import type { Stage } from "#shared/database/tables/stages.ts";
import type { TimelineEvent } from "#shared/database/tables/timeline-events.ts";
import { isTerminal } from "#shared/contracts/statuses.ts";
import { loadInputs, type CassetteInputs } from "./load-inputs.ts";

type McpInteraction = Awaited<ReturnType<typeof loadToolCalls>>[number];
type ToolResult = Awaited<ReturnType<typeof loadKept>>[number];
type Runbook = Awaited<ReturnType<typeof loadRunbook>>;

/** A row with the configuration that it refers to; empty, which no reader takes, if that is missing. */
type WithConfig<R> = R & { readonly resolved_config: object };

async function withConfig<R extends { readonly config_hash: string }>(
  manager: EntityManager,
  row: R,
): Promise<WithConfig<R>> {
  return { ...row, resolved_config: (await readConfig(manager, row.config_hash)) ?? {} };
}

/** The rows of a session of which its cassette is made; of follow-ups only those that have ended. */
export interface CassetteRows {
  readonly session: WithConfig<AlertSession>;
  readonly runtime: SessionRuntime;
  readonly runbook: Runbook;
  readonly stages: readonly Stage[];
  readonly executions: readonly AgentExecution[];
  readonly messages: readonly Message[];
  readonly llmCalls: readonly LlmInteraction[];
  readonly toolCalls: readonly McpInteraction[];
  /** Answers of agents, summaries and feedback. */
  readonly timeline: readonly TimelineEvent[];
  readonly kept: readonly ToolResult[];
  readonly approvals: readonly Approval[];
  readonly followUps: readonly WithConfig<FollowUp>[];
  readonly scores: readonly SessionScore[];
  readonly inputs: CassetteInputs;
}

/** Entries of the timeline whose texts no other row has. */
const KEPT_EVENTS = ["final_analysis", "executive_summary", "mcp_tool_summary", "user_question"] as const;

/** Reads the rows, in a transaction that sees one snapshot. Throws database errors. */
export async function loadCassetteRows(manager: EntityManager, session_id: string): Promise<CassetteRows> {
  const where = { session_id };
  const session = await manager.findOneByOrFail(AlertSessionEntity, where);
  const runtime = await manager.findOneByOrFail(SessionRuntimeEntity, where);
  const followUps = await loadFollowUps(manager, session_id);
  const open = await manager.findBy(FollowUpEntity, [
    { session_id, status: "pending" },
    { session_id, status: "active" },
  ]);
  const hidden = new Set(open.map(({ stage_id }) => stage_id));
  const isShown = ({ stage_id }: { readonly stage_id: string }) => !hidden.has(stage_id);
  const order = { created_at: "ASC", interaction_id: "ASC" } as const;
  const [stages, executions, messages, llmCalls, toolCalls] = [
    await manager.find(StageEntity, { where, order: { stage_index: "ASC" } }),
    await manager.find(AgentExecutionEntity, { where, order: { agent_index: "ASC" } }),
    await manager.find(MessageEntity, { where, order: { sequence_number: "ASC" } }),
    await manager.find(LlmInteractionEntity, { where, order }),
    await loadToolCalls(manager, session_id),
  ];
  const timeline = await manager.find(TimelineEventEntity, {
    where: KEPT_EVENTS.map((event_type) => ({ session_id, event_type })),
    order: { sequence_number: "ASC" },
  });
  return {
    session: await withConfig(manager, session),
    runtime,
    runbook: await loadRunbook(manager, session_id),
    stages: stages.filter(isShown),
    executions: executions.filter(isShown),
    messages: messages.filter(isShown),
    llmCalls: llmCalls.filter(isShown),
    toolCalls: toolCalls.filter(isShown),
    timeline: timeline.filter(isShown),
    kept: await loadKept(manager, session_id),
    approvals: await manager.find(ApprovalEntity, { where, order: { requested_at: "ASC", call_id: "ASC" } }),
    followUps,
    scores: await manager.find(SessionScoreEntity, { where }),
    inputs: await loadInputs(manager, session_id),
  };
}

async function loadFollowUps(manager: EntityManager, session_id: string) {
  const all = await manager.find(FollowUpEntity, {
    where: { session_id },
    order: { created_at: "ASC", follow_up_id: "ASC" },
  });
  const ended: WithConfig<FollowUp>[] = [];
  for (const row of all) if (isTerminal(row.status)) ended.push(await withConfig(manager, row));
  return ended;
}

async function loadToolCalls(manager: EntityManager, session_id: string) {
  return manager.find(McpInteractionEntity, {
    where: { session_id },
    order: { created_at: "ASC", interaction_id: "ASC" },
  });
}

async function loadKept(manager: EntityManager, session_id: string) {
  return manager.find(ToolResultEntity, {
    where: { session_id },
    order: { created_at: "ASC", call_id: "ASC" },
  });
}

async function loadRunbook(manager: EntityManager, session_id: string) {
  return manager.findOneBy(SessionRunbookEntity, { session_id });
}
