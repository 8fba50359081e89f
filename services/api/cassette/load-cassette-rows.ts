import { In, type EntityManager } from "typeorm";
import { AgentExecutionEntity, type AgentExecution } from "#shared/database/entities/agent-execution.ts";
import { AlertSessionEntity, type AlertSession } from "#shared/database/entities/alert-session.ts";
import { ApprovalEntity, type Approval } from "#shared/database/entities/approval.ts";
import { FollowUpEntity } from "#shared/database/entities/follow-up.ts";
import { LlmInteractionEntity, type LlmInteraction } from "#shared/database/entities/llm-interaction.ts";
import { McpInteractionEntity } from "#shared/database/entities/mcp-interaction.ts";
import { MessageEntity, type Message } from "#shared/database/entities/message.ts";
import { SessionRunbookEntity } from "#shared/database/entities/session-runbook.ts";
import { SessionRuntimeEntity, type SessionRuntime } from "#shared/database/entities/session-runtime.ts";
import { SessionScoreEntity, type SessionScore } from "#shared/database/entities/session-score.ts";
import { StageEntity, type Stage } from "#shared/database/entities/stage.ts";
import { TimelineEventEntity, type TimelineEvent } from "#shared/database/entities/timeline-event.ts";
import { ToolResultEntity } from "#shared/database/entities/tool-result.ts";
import { isTerminal } from "#shared/contracts/statuses.ts";
import { loadInputs, type CassetteInputs } from "./load-inputs.ts";

type FollowUp = Awaited<ReturnType<typeof loadFollowUps>>[number];
type McpInteraction = Awaited<ReturnType<typeof loadToolCalls>>[number];
type ToolResult = Awaited<ReturnType<typeof loadKept>>[number];
type Runbook = Awaited<ReturnType<typeof loadRunbook>>;

/** The rows of a session of which its cassette is made; of follow-ups only those that have ended. */
export interface CassetteRows {
  readonly session: AlertSession;
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
  readonly followUps: readonly FollowUp[];
  readonly scores: readonly SessionScore[];
  readonly inputs: CassetteInputs;
}

/** Reads the rows, in a transaction that sees one snapshot. Throws database errors. */
export async function loadCassetteRows(manager: EntityManager, session_id: string): Promise<CassetteRows> {
  const where = { session_id };
  const session = await manager.findOneByOrFail(AlertSessionEntity, where);
  const runtime = await manager.findOneByOrFail(SessionRuntimeEntity, where);
  const followUps = await loadFollowUps(manager, session_id);
  const open = await manager.findBy(FollowUpEntity, { session_id, status: In(["pending", "active"]) });
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
    where: {
      session_id,
      event_type: In(["final_analysis", "executive_summary", "mcp_tool_summary", "user_question"]),
    },
    order: { sequence_number: "ASC" },
  });
  return {
    session,
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
  return all.filter(({ status }) => isTerminal(status));
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
