import { API_KEYS, AUDIT_LOG, PAGE_SESSIONS, WS_TICKETS } from "#shared/database/tables/access.ts";
import { AGENT_EXECUTIONS } from "#shared/database/tables/agent-executions.ts";
import {
  ALERT_GROUPS,
  ALERT_GROUP_SECRETS,
  EVIDENCE_DELIVERIES,
  GROUP_ALERTS,
} from "#shared/database/tables/alert-groups.ts";
import { ALERT_SESSIONS } from "#shared/database/tables/alert-sessions.ts";
import { APPROVALS } from "#shared/database/tables/approvals.ts";
import {
  BUDGETS,
  BUDGET_ACCOUNTS,
  BUDGET_LEDGER,
  BUDGET_RESERVATIONS,
} from "#shared/database/tables/budgets.ts";
import { CHATS, CHAT_USER_MESSAGES } from "#shared/database/tables/chats.ts";
import { CONCLUSIONS } from "#shared/database/tables/conclusions.ts";
import { EVENTS } from "#shared/database/tables/events.ts";
import { EXECUTORS, LLM_CIRCUITS } from "#shared/database/tables/executors.ts";
import { FOLLOW_UPS } from "#shared/database/tables/follow-ups.ts";
import { LLM_INTERACTIONS } from "#shared/database/tables/llm-interactions.ts";
import { MCP_INTERACTIONS } from "#shared/database/tables/mcp-interactions.ts";
import {
  MCP_AUTHORIZATIONS,
  MCP_CLEANUPS,
  MCP_CONNECTS,
  MCP_SERVER_STATES,
} from "#shared/database/tables/mcp-servers.ts";
import {
  INVESTIGATION_MEMORIES,
  SESSION_MEMORIES,
  WAITING_FEEDBACK,
} from "#shared/database/tables/memories.ts";
import { MESSAGES } from "#shared/database/tables/messages.ts";
import { NOTIFICATION_DESTINATIONS, OUTBOX } from "#shared/database/tables/notifications.ts";
import { RECORDED_TOOL_CALLS, RECORDED_TOOL_LISTS } from "#shared/database/tables/recorded-tools.ts";
import { RESOLVED_CONFIGS } from "#shared/database/tables/resolved-configs.ts";
import { SESSION_REVIEW_ACTIVITIES } from "#shared/database/tables/reviews.ts";
import { ROW_HISTORY } from "#shared/database/tables/row-history.ts";
import { SCHEMA_SUPPORT } from "#shared/database/tables/schema.ts";
import { SEARCH_PROGRESS, SESSION_TEXTS, TIMELINE_WORDS } from "#shared/database/tables/search.ts";
import { SESSION_MODEL_USAGE, SESSION_RUNTIME } from "#shared/database/tables/session-runtime.ts";
import { SESSION_SCORES } from "#shared/database/tables/session-scores.ts";
import { EXTERNAL_EVENTS, SLACK_CHANNELS, SLACK_THREADS } from "#shared/database/tables/slack.ts";
import { STAGES } from "#shared/database/tables/stages.ts";
import { STEERING_DELIVERIES, STEERING_MESSAGES } from "#shared/database/tables/steering.ts";
import { ALERT_NOTIFICATIONS, IDEMPOTENCY_KEYS } from "#shared/database/tables/submissions.ts";
import { MASKED_VALUES, NEEDED_TEXTS, SESSION_RUNBOOKS, TEXTS } from "#shared/database/tables/texts.ts";
import { TIMELINE_EVENTS } from "#shared/database/tables/timeline-events.ts";
import { TOOL_CALLS, TOOL_RESULTS } from "#shared/database/tables/tool-calls.ts";
import { READ, table, type Table } from "#shared/database/tables/table.ts";
import { WORLDS, WORLD_ANSWERS, WORLD_CALLS } from "#shared/database/tables/worlds.ts";

const EVERYONE_READS = { api: READ, executor: READ, "tool-runner": READ, notifier: READ } as const;

/** TypeORM makes it, and records there which migrations a database has. */
export const SCHEMA_MIGRATIONS = table({
  name: "schema_migrations",
  columns: {
    id: { type: "integer", primary: true },
    timestamp: { type: "bigint" },
    name: { type: "text", from: "ours" },
  },
  grants: EVERYONE_READS,
  purge: { kind: "kept", because: "it names the migrations of this database" },
});

/**
 * Every table, before those that refer to it. A new table belongs here. `migrate` gives each service's role what is declared, and a test compares
 * the migrated schema, what each role can do, and how rows go with it. Services of two versions run side by side during an upgrade, so take a privilege
 * away only in the version after the last one that needs it. A lock (`FOR UPDATE`, `FOR SHARE`) needs UPDATE on at least one column. What needs more than
 * a service may have is a function of the owner (`owned-functions.ts`). No role may update or delete `events`.
 */
export const ALL_TABLES: readonly Table[] = [
  RESOLVED_CONFIGS,
  ALERT_SESSIONS,
  SESSION_RUNTIME,
  SESSION_MODEL_USAGE,
  IDEMPOTENCY_KEYS,
  SESSION_REVIEW_ACTIVITIES,
  ROW_HISTORY,
  TEXTS,
  NEEDED_TEXTS,
  SESSION_RUNBOOKS,
  MASKED_VALUES,
  SEARCH_PROGRESS,
  SESSION_TEXTS,
  TIMELINE_WORDS,
  CHATS,
  CHAT_USER_MESSAGES,
  STAGES,
  AGENT_EXECUTIONS,
  MESSAGES,
  LLM_INTERACTIONS,
  MCP_INTERACTIONS,
  TIMELINE_EVENTS,
  CONCLUSIONS,
  EVENTS,
  FOLLOW_UPS,
  SESSION_SCORES,
  WAITING_FEEDBACK,
  INVESTIGATION_MEMORIES,
  SESSION_MEMORIES,
  STEERING_MESSAGES,
  STEERING_DELIVERIES,
  TOOL_CALLS,
  TOOL_RESULTS,
  APPROVALS,
  MCP_SERVER_STATES,
  MCP_CLEANUPS,
  MCP_AUTHORIZATIONS,
  MCP_CONNECTS,
  RECORDED_TOOL_CALLS,
  RECORDED_TOOL_LISTS,
  WORLDS,
  WORLD_ANSWERS,
  WORLD_CALLS,
  ALERT_NOTIFICATIONS,
  ALERT_GROUP_SECRETS,
  ALERT_GROUPS,
  GROUP_ALERTS,
  EVIDENCE_DELIVERIES,
  OUTBOX,
  NOTIFICATION_DESTINATIONS,
  EXTERNAL_EVENTS,
  SLACK_THREADS,
  SLACK_CHANNELS,
  EXECUTORS,
  LLM_CIRCUITS,
  API_KEYS,
  WS_TICKETS,
  PAGE_SESSIONS,
  AUDIT_LOG,
  SCHEMA_SUPPORT,
  BUDGETS,
  BUDGET_ACCOUNTS,
  BUDGET_RESERVATIONS,
  BUDGET_LEDGER,
  SCHEMA_MIGRATIONS,
];
