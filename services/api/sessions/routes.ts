import type { RouterContext } from "@koa/router";
import type { EntityManager } from "typeorm";
import { parentsOf, timelineEntries } from "#shared/contract-view/timeline-entry.ts";
import type { FoundSession } from "#shared/database/find-session.ts";
import type { ApiDeps } from "../api-deps.ts";
import { callerOf } from "../http/caller.ts";
import { parseSessionId } from "../http/parse-parameters.ts";
import { routesOf } from "../http/routes-of.ts";
import { sessionAt } from "../http/session-at.ts";
import { visibleSession } from "../http/visible-session.ts";
import { withoutNulls } from "../http/without-nulls.ts";
import { readLists } from "../read-replica.ts";
import { readStagesOf } from "../views/read-stages.ts";
import { SESSIONS } from "./contract.ts";
import { readFilterOptions } from "./filter-options.ts";
import { getEvents } from "./get-events.ts";
import { hideSession } from "./hide-session.ts";
import { ListMemory } from "./list-memory.ts";
import { parseListQuery } from "./list-query.ts";
import { listPage } from "./list-page.ts";
import { readStatus, readSummary } from "./read-outcome.ts";
import { readSession, readTimeline } from "./read-session.ts";
import { readActive, readQueued } from "./read-unfinished.ts";
import { requestCancel } from "./request-cancel.ts";

/** The routes of sessions. Those with `at_seq` show a session as it was, each from one snapshot. */
export function sessionRoutes(deps: ApiDeps) {
  const { config, db, orm } = deps;
  const isCostEstimated = config.agents.system.cost_estimation.enabled;
  const memory = new ListMemory();
  const snapshot = async <T>(
    ctx: RouterContext,
    read: (manager: EntityManager, found: FoundSession) => Promise<T>,
  ) => orm.snapshot(async (own) => read(own, await sessionAt(own, ctx)));
  const asked = (ctx: RouterContext, found: FoundSession) => ({
    found,
    identity: callerOf(ctx).identity,
    isPast: ctx.query["at_seq"] !== undefined,
  });
  return routesOf(SESSIONS, {
    listSessions: async (ctx) => listPage(deps, callerOf(ctx), parseListQuery(ctx.query), memory),

    async getActiveSessions(ctx) {
      const { identity } = callerOf(ctx);
      const active = await readActive(orm, identity);
      return { active, queued: await readQueued(orm, identity) };
    },

    getQueuedSessions: async (ctx) => ({ queued: await readQueued(orm, callerOf(ctx).identity) }),

    getFilterOptions: async (ctx) =>
      readLists(deps, callerOf(ctx), async (from) => readFilterOptions(from, callerOf(ctx).identity)),

    async getSessionStatus(ctx) {
      const { session_id } = await visibleSession(orm, ctx);
      return readStatus(orm, session_id);
    },

    async getSessionSummary(ctx) {
      const { session_id } = await visibleSession(orm, ctx);
      return readSummary(orm, session_id, isCostEstimated);
    },

    getSession: async (ctx) =>
      snapshot(ctx, async (own, found) => {
        const timeline = await readTimeline(own, found.session_id);
        const { overview, shown } = await readSession(deps, own, asked(ctx, found), timeline);
        const parents = parentsOf(shown.flatMap(({ sub_agents }) => sub_agents));
        return {
          ...overview,
          timeline: timeline.map((row) => ({ ...withoutNulls(row), ...parents.get(row.execution_id) })),
        };
      }),

    /** Small however long the session worked. */
    getSessionOverview: async (ctx) =>
      snapshot(ctx, async (own, found) => {
        const fallbacks = await readTimeline(own, found.session_id, "provider_fallback");
        return (await readSession(deps, own, asked(ctx, found), fallbacks)).overview;
      }),

    getTimeline: async (ctx) =>
      snapshot(ctx, async (own, { session_id }) => {
        const { shown } = await readStagesOf(own, session_id);
        return timelineEntries(await readTimeline(own, session_id), shown);
      }),

    getEvents: getEvents(deps),

    async cancelSession(ctx) {
      const session_id = await requestCancel(deps, callerOf(ctx), ctx.params["id"]);
      return { session_id, message: "Session cancellation requested" };
    },

    async deleteSession(ctx) {
      const id = parseSessionId(ctx.params["id"]);
      callerOf(ctx).sessionId = id;
      await hideSession(db, id);
    },
  });
}
