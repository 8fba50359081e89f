import type { RouterMiddleware } from "@koa/router";
import type { EntityManager } from "typeorm";
import {
  AlertSessionEntity,
  ApprovalEntity,
  ChatEntity,
  LlmInteractionEntity,
  McpInteractionEntity,
  SessionRuntimeEntity,
} from "#shared/database/entities.ts";
import type { AlertSession } from "#shared/database/tables/alert-sessions.ts";
import type { Identity } from "#shared/access/identity.ts";
import { ANY_KEY } from "#shared/contracts/budget.ts";
import { allows, mayChange } from "#shared/access/authorize.ts";
import type { ApiDeps } from "../api-deps.ts";
import {
  budgetView,
  mayKnow,
  readBudgets,
  storedBudgets,
  type ConfiguredBudget,
} from "../budgets/read-budgets.ts";
import type { BudgetView } from "../budgets/contract.ts";
import { callerOf } from "../http/caller.ts";
import { offersChat } from "../chat/chat-of-session.ts";
import { readLineage } from "../forks/read-lineage.ts";
import { readAlertGroup } from "../incidents/read-alerts.ts";
import { sessionAt } from "../http/session-at.ts";
import { readTimeline } from "../routes/get-timeline.ts";
import { readScores } from "../scores/read-scores.ts";
import { readStages } from "../views/read-stages.ts";
import { readSummaryCalls } from "../views/read-summary-calls.ts";
import { readUnreadSteering } from "../steering/read-unread.ts";
import { isFallback } from "../views/execution-view.ts";
import { readFailing } from "./failing-column.ts";
import { sessionView } from "../views/session-view.ts";

/**
 * `GET /api/v1/sessions/:id`: the session with its stages, executions and timeline, read from one snapshot; with `at_seq` as it was then.
 * What the caller may do, what is configured and what is left of budgets are as they are.
 */
export function getSession(deps: ApiDeps): RouterMiddleware {
  return answerSession(deps, { hasTimeline: true });
}

/** `GET /api/v1/sessions/:id/overview`: the same without the timeline, so that it is small however long the session worked. */
export function getSessionOverview(deps: ApiDeps): RouterMiddleware {
  return answerSession(deps, { hasTimeline: false });
}

function answerSession(
  { config, db, orm }: ApiDeps,
  { hasTimeline }: { readonly hasTimeline: boolean },
): RouterMiddleware {
  return async (ctx) => {
    ctx.body = await orm.transaction("REPEATABLE READ", async (manager) => {
      const found = await sessionAt(manager, ctx);
      const { session_id } = found;
      const { identity } = callerOf(ctx);
      const session = await manager.findOneByOrFail(AlertSessionEntity, { session_id });
      const runtime = await manager.findOneBy(SessionRuntimeEntity, { session_id });
      const timeline = await readTimeline(manager, session_id, hasTimeline ? undefined : "provider_fallback");
      const rows = {
        mayChange: allows(identity, "session.steer") && mayChange(identity, found),
        mayAsk: allows(identity, "session.chat"),
        mayFork: allows(identity, "session.fork"),
        // Forks are those of the present, also where the session is shown as it was.
        lineage: await readLineage(db, session, identity),
        failing: ctx.query["at_seq"] === undefined ? await readFailing(manager, session_id) : null,
        isMemoryEnabled: config.agents.defaults.memory.enabled,
        stages: await readStages(manager, session),
        fallbacks: timeline.filter(isFallback),
        ...(hasTimeline ? { timeline } : {}),
        approvals: await manager.find(ApprovalEntity, {
          where: { session_id, state: "awaiting_approval" },
          order: { requested_at: "ASC", approval_id: "ASC" },
        }),
        alertGroup: await readAlertGroup(manager, session_id),
        unreadMessages: await readUnreadSteering(manager, session_id),
        summary: await readSummaryCalls(manager, session_id),
        scores: await readScores(manager, session_id),
        chat: {
          isOffered: offersChat(config.agents, session.chain_id),
          chatId: (await manager.findOneBy(ChatEntity, { session_id }))?.chat_id ?? null,
        },
        budgets: await budgetsOf(manager, session, identity),
        interactions: await countInteractions(manager, session_id),
      };
      return sessionView(session, runtime, rows, config.agents.system.cost_estimation.enabled);
    });
  };
}

/** The session's own budget, and those of its chain, teams and day of which the caller may know. */
async function budgetsOf(
  manager: EntityManager,
  { session_id, chain_id, teams, resolved_config }: AlertSession,
  identity: Identity,
): Promise<readonly BudgetView[]> {
  const { session, day } = storedBudgets(resolved_config);
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
