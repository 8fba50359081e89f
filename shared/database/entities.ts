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

type EntityTable = Pick<Table, "name" | "columns">;
const tables: EntityTable[] = [];
/** The tables of the entities. */
export const ENTITY_TABLES: readonly EntityTable[] = tables;

/** An entity is named as its table, so that what reads it does not load TypeORM. */
function entity<R extends object>(table: EntityTable): EntityTarget<R> {
  tables.push(table);
  return table.name;
}

export const AlertSessionEntity = entity<AlertSession>(ALERT_SESSIONS);
export const SessionRuntimeEntity = entity<SessionRuntime>(SESSION_RUNTIME);
export const SessionReviewActivityEntity = entity<SessionReviewActivity>(SESSION_REVIEW_ACTIVITIES);
export const SessionScoreEntity = entity<SessionScore>(SESSION_SCORES);
export const StageEntity = entity<Stage>(STAGES);
export const AgentExecutionEntity = entity<AgentExecution>(AGENT_EXECUTIONS);
export const MessageEntity = entity<Message>(MESSAGES);
export const LlmInteractionEntity = entity<LlmInteraction>(LLM_INTERACTIONS);
export const McpInteractionEntity = entity<McpInteraction>(MCP_INTERACTIONS);
export const TimelineEventEntity = entity<TimelineEvent>(TIMELINE_EVENTS);
export const ApprovalEntity = entity<Approval>(APPROVALS);
export const FollowUpEntity = entity<FollowUp>(FOLLOW_UPS);
export const ToolResultEntity = entity<Row<typeof TOOL_RESULTS>>(TOOL_RESULTS);
export const SessionRunbookEntity = entity<Row<typeof SESSION_RUNBOOKS>>(SESSION_RUNBOOKS);
export const ChatEntity = entity<Row<typeof CHATS>>(CHATS);
