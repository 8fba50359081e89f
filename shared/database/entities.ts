import { EntitySchema } from "typeorm";
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

/** What TypeORM needs of a table of which whole rows are read. */
const asEntity = <C extends Table["columns"]>({ name, columns }: Pick<Table<C>, "name" | "columns">) => ({
  name,
  tableName: name,
  columns: Object.fromEntries(Object.entries(columns).filter(([, { hidden }]) => hidden !== true)),
});

export const AlertSessionEntity = new EntitySchema<AlertSession>(asEntity(ALERT_SESSIONS));
export const SessionRuntimeEntity = new EntitySchema<SessionRuntime>(asEntity(SESSION_RUNTIME));
export const SessionReviewActivityEntity = new EntitySchema<SessionReviewActivity>(
  asEntity(SESSION_REVIEW_ACTIVITIES),
);
export const SessionScoreEntity = new EntitySchema<SessionScore>(asEntity(SESSION_SCORES));
export const StageEntity = new EntitySchema<Stage>(asEntity(STAGES));
export const AgentExecutionEntity = new EntitySchema<AgentExecution>(asEntity(AGENT_EXECUTIONS));
export const MessageEntity = new EntitySchema<Message>(asEntity(MESSAGES));
export const LlmInteractionEntity = new EntitySchema<LlmInteraction>(asEntity(LLM_INTERACTIONS));
export const McpInteractionEntity = new EntitySchema<McpInteraction>(asEntity(MCP_INTERACTIONS));
export const TimelineEventEntity = new EntitySchema<TimelineEvent>(asEntity(TIMELINE_EVENTS));
export const ApprovalEntity = new EntitySchema<Approval>(asEntity(APPROVALS));
export const FollowUpEntity = new EntitySchema<FollowUp>(asEntity(FOLLOW_UPS));
export const ToolResultEntity = new EntitySchema<Row<typeof TOOL_RESULTS>>(asEntity(TOOL_RESULTS));
export const SessionRunbookEntity = new EntitySchema<Row<typeof SESSION_RUNBOOKS>>(
  asEntity(SESSION_RUNBOOKS),
);
export const ChatEntity = new EntitySchema<Row<typeof CHATS>>(asEntity(CHATS));

/** The entities that `openOrm` opens. */
export const ENTITIES = [
  AlertSessionEntity,
  SessionRuntimeEntity,
  SessionReviewActivityEntity,
  SessionScoreEntity,
  StageEntity,
  AgentExecutionEntity,
  MessageEntity,
  LlmInteractionEntity,
  McpInteractionEntity,
  TimelineEventEntity,
  ApprovalEntity,
  FollowUpEntity,
  ToolResultEntity,
  SessionRunbookEntity,
  ChatEntity,
];
