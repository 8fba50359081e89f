import type { EntityTarget } from "typeorm";
import { ALERT_SESSIONS, type AlertSession } from "#shared/database/tables/alert-sessions.ts";
import { SESSION_RUNTIME, type SessionRuntime } from "#shared/database/tables/session-runtime.ts";
import { SESSION_REVIEW_ACTIVITIES, type SessionReviewActivity } from "#shared/database/tables/reviews.ts";
import { SESSION_SCORES, type SessionScore } from "#shared/database/tables/session-scores.ts";
import { STAGES, type Stage } from "#shared/database/tables/stages.ts";
import { AGENT_EXECUTIONS, type AgentExecution } from "#shared/database/tables/agent-executions.ts";
import { MESSAGES, type Message } from "#shared/database/tables/messages.ts";
import { LLM_INTERACTIONS, type LlmInteraction } from "#shared/database/tables/llm-interactions.ts";
import { MCP_INTERACTIONS, type McpInteraction } from "#shared/database/tables/mcp-interactions.ts";
import { TIMELINE_EVENTS, type TimelineEvent } from "#shared/database/tables/timeline-events.ts";
import { APPROVALS, type Approval } from "#shared/database/tables/approvals.ts";
import { FOLLOW_UPS, type FollowUp } from "#shared/database/tables/follow-ups.ts";
import { TOOL_RESULTS } from "#shared/database/tables/tool-calls.ts";
import { SESSION_RUNBOOKS } from "#shared/database/tables/texts.ts";
import { CHATS } from "#shared/database/tables/chats.ts";
import type { Row, Table } from "#shared/database/tables/table.ts";

/** Each entity is named as its table, so that what reads it does not load TypeORM. */
export const AlertSessionEntity: EntityTarget<AlertSession> = ALERT_SESSIONS.name;
export const SessionRuntimeEntity: EntityTarget<SessionRuntime> = SESSION_RUNTIME.name;
export const SessionReviewActivityEntity: EntityTarget<SessionReviewActivity> =
  SESSION_REVIEW_ACTIVITIES.name;
export const SessionScoreEntity: EntityTarget<SessionScore> = SESSION_SCORES.name;
export const StageEntity: EntityTarget<Stage> = STAGES.name;
export const AgentExecutionEntity: EntityTarget<AgentExecution> = AGENT_EXECUTIONS.name;
export const MessageEntity: EntityTarget<Message> = MESSAGES.name;
export const LlmInteractionEntity: EntityTarget<LlmInteraction> = LLM_INTERACTIONS.name;
export const McpInteractionEntity: EntityTarget<McpInteraction> = MCP_INTERACTIONS.name;
export const TimelineEventEntity: EntityTarget<TimelineEvent> = TIMELINE_EVENTS.name;
export const ApprovalEntity: EntityTarget<Approval> = APPROVALS.name;
export const FollowUpEntity: EntityTarget<FollowUp> = FOLLOW_UPS.name;
export const ToolResultEntity: EntityTarget<Row<typeof TOOL_RESULTS>> = TOOL_RESULTS.name;
export const SessionRunbookEntity: EntityTarget<Row<typeof SESSION_RUNBOOKS>> = SESSION_RUNBOOKS.name;
export const ChatEntity: EntityTarget<Row<typeof CHATS>> = CHATS.name;

/** The tables of the entities. */
export const ENTITY_TABLES: readonly Pick<Table, "name" | "columns">[] = [
  ALERT_SESSIONS,
  SESSION_RUNTIME,
  SESSION_REVIEW_ACTIVITIES,
  SESSION_SCORES,
  STAGES,
  AGENT_EXECUTIONS,
  MESSAGES,
  LLM_INTERACTIONS,
  MCP_INTERACTIONS,
  TIMELINE_EVENTS,
  APPROVALS,
  FOLLOW_UPS,
  TOOL_RESULTS,
  SESSION_RUNBOOKS,
  CHATS,
];
