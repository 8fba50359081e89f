import type { EntityManager } from "typeorm";
import {
  AlertSessionEntity,
  ApprovalEntity,
  ChatEntity,
  LlmInteractionEntity,
  McpInteractionEntity,
  SessionRuntimeEntity,
  TimelineEventEntity,
} from "#shared/database/entities.ts";
import type { AlertSession } from "#shared/database/tables/alert-sessions.ts";
import type { Identity } from "#shared/access/identity.ts";
import { ANY_KEY } from "#shared/contracts/budget.ts";
import { allows, mayChange } from "#shared/access/authorize.ts";
import { readConfig } from "#shared/database/resolved-configs.ts";
import type { FoundSession } from "#shared/database/find-session.ts";
import type { TimelineEvent } from "#shared/database/tables/timeline-events.ts";
import type { ApiDeps } from "../api-deps.ts";
import {
  budgetView,
  mayKnow,
  readBudgets,
  storedBudgets,
  type ConfiguredBudget,
} from "../budgets/read-budgets.ts";
import type { BudgetView } from "../budgets/contract.ts";
import { offersChat } from "../chat/chat-of-session.ts";
import { readConclusion } from "../conclusions/read-conclusion.ts";
import { readLineage } from "../forks/read-lineage.ts";
import { readAlertGroup } from "../incidents/read-alerts.ts";
import { readScores } from "../scores/read-scores.ts";
import { readStages } from "../views/read-stages.ts";
import { readSummaryCalls } from "../views/read-summary-calls.ts";
import { readUnreadSteering } from "../steering/read-unread.ts";
import { isFallback } from "../views/execution-view.ts";
import { readFailing } from "./failing-column.ts";
import { isImported } from "./imported-session.ts";
import { sessionView } from "../views/session-view.ts";

/**
 * Reads a session without its timeline as the transaction sees it, and the stages that are shown. What the caller may do, what is
 * configured and what is left of budgets are as they are, also where the session is shown as it was. `timeline` has at least its entries about
 * changes of providers.
 */
export async function readSession(
  { config, db }: Pick<ApiDeps, "config" | "db">,
  manager: EntityManager,
  {
    found,
    identity,
    isPast,
  }: { readonly found: FoundSession; readonly identity: Identity; readonly isPast: boolean },
  timeline: readonly TimelineEvent[],
) {
  const { session_id } = found;
  const session = await manager.findOneByOrFail(AlertSessionEntity, { session_id });
  const runtime = await manager.findOneBy(SessionRuntimeEntity, { session_id });
  const rows = {
    mayChange: allows(identity, "session.steer") && mayChange(identity, found),
    mayAsk: allows(identity, "session.chat"),
    mayFork: allows(identity, "session.fork") && !isImported(session),
    // Forks are those of the present, also where the session is shown as it was.
    lineage: await readLineage(db, session, identity),
    failing: isPast ? null : await readFailing(manager, session_id),
    isMemoryEnabled: config.agents.defaults.memory.enabled,
    stages: await readStages(manager, session),
    fallbacks: timeline.filter(isFallback),
    approvals: await manager.find(ApprovalEntity, {
      where: { session_id, state: "awaiting_approval" },
      order: { requested_at: "ASC", approval_id: "ASC" },
    }),
    alertGroup: await readAlertGroup(manager, session_id),
    unreadMessages: await readUnreadSteering(manager, session_id),
    summary: await readSummaryCalls(manager, session_id),
    scores: await readScores(manager, session_id),
    conclusion: await readConclusion(manager, session_id),
    chat: {
      isOffered: offersChat(config.agents, session.chain_id) && !isImported(session),
      chatId: (await manager.findOneBy(ChatEntity, { session_id }))?.chat_id ?? null,
    },
    budgets: await budgetsOf(manager, session, identity),
    interactions: await countInteractions(manager, session_id),
  };
  const { enabled } = config.agents.system.cost_estimation;
  return { overview: sessionView(session, runtime, rows, enabled), shown: rows.stages.shown };
}

/**
 * Reads a session's timeline rows in the order they were created: all, or those of one type. Rows of one execution are in
 * the order of their sequence numbers: the time of a streamed row is an estimate, and that of one before an answer is later.
 */
export async function readTimeline(
  manager: EntityManager,
  session_id: string,
  event_type?: TimelineEvent["event_type"],
): Promise<TimelineEvent[]> {
  return manager
    .createQueryBuilder(TimelineEventEntity, "t")
    .where(event_type === undefined ? { session_id } : { session_id, event_type })
    .orderBy("max(t.created_at) OVER (PARTITION BY t.execution_id ORDER BY t.sequence_number)")
    .addOrderBy("t.sequence_number")
    .getMany();
}

/** The session's own budget, and those of its chain, teams and day of which the caller may know. */
async function budgetsOf(
  manager: EntityManager,
  { session_id, chain_id, teams, config_hash }: AlertSession,
  identity: Identity,
): Promise<readonly BudgetView[]> {
  const { session, day } = storedBudgets(await readConfig(manager, config_hash));
  const configured: ConfiguredBudget[] = [
    ...(session === undefined
      ? []
      : [{ scope: "session", key: ANY_KEY, period: "session", limits: session } as const]),
    ...(day === undefined ? [] : [{ scope: "chain", key: chain_id, period: "day", limits: day } as const]),
  ];
  const rows = await readBudgets(manager, configured, session_id);
  const keys = { session: [ANY_KEY], day: [ANY_KEY], chain: [chain_id], team: teams };
  return rows
    .filter((row) => keys[row.scope].includes(row.key) && (row.scope === "session" || mayKnow(identity, row)))
    .map((row) => budgetView(row, true));
}

async function countInteractions(manager: EntityManager, session_id: string) {
  return {
    llm_interaction_count: await manager.countBy(LlmInteractionEntity, { session_id }),
    mcp_interaction_count: await manager.countBy(McpInteractionEntity, { session_id }),
  };
}
