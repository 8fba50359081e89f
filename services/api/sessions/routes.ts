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
import { listSessions } from "./list-sessions.ts";
import { readStatus, readSummary } from "./read-outcome.ts";
import { readSession, readTimeline } from "./read-session.ts";
import { readSessionItems } from "./read-session-items.ts";
import { readActive, readQueued } from "./read-unfinished.ts";
import { requestCancel } from "./request-cancel.ts";
import { searchSessions } from "./search-sessions.ts";

/** The routes of sessions. Those with `at_seq` show a session as it was, each from one snapshot. */
export function sessionRoutes(deps: ApiDeps) {
  const { config, db, orm, dispatcher, log } = deps;
  const { manager } = orm;
  const isCostEstimated = config.agents.system.cost_estimation.enabled;
  const memory = new ListMemory();
  const snapshot = async <T>(
    ctx: RouterContext,
    read: (manager: EntityManager, found: FoundSession) => Promise<T>,
  ) => orm.transaction("REPEATABLE READ", async (own) => read(own, await sessionAt(own, ctx)));
  const asked = (ctx: RouterContext, found: FoundSession) => ({
    found,
    identity: callerOf(ctx).identity,
    isPast: ctx.query["at_seq"] !== undefined,
  });
  return routesOf(SESSIONS, {
    listSessions: async (ctx) =>
      readLists(deps, ctx, async ({ manager: from }) => listPage(deps, ctx, { from, memory })),

    async getActiveSessions(ctx) {
      const { identity } = callerOf(ctx);
      const active = await readActive(manager, identity);
      return { active, queued: await readQueued(manager, identity) };
    },

    getQueuedSessions: async (ctx) => ({ queued: await readQueued(manager, callerOf(ctx).identity) }),

    getFilterOptions: async (ctx) =>
      readLists(deps, ctx, async ({ manager: from }) => readFilterOptions(from, callerOf(ctx).identity)),

    async getSessionStatus(ctx) {
      const { session_id } = await visibleSession(manager, ctx);
      return readStatus(manager, session_id);
    },

    async getSessionSummary(ctx) {
      const { session_id } = await visibleSession(manager, ctx);
      return readSummary(manager, session_id, isCostEstimated);
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
      const { id, events, wakeUp } = await requestCancel(db, ctx);
      dispatcher.cancel(id);
      dispatcher.publish(events);
      if (wakeUp !== undefined) dispatcher.wake(wakeUp);
      log.info({ session_id: id }, "cancel requested");
      return { session_id: id, message: "Session cancellation requested" };
    },

    async deleteSession(ctx) {
      const id = parseSessionId(ctx.params["id"]);
      callerOf(ctx).sessionId = id;
      await hideSession(db, id);
    },
  });
}

/** A page of the sessions that the caller may see, sorted, filtered and searched. */
async function listPage(
  { config }: ApiDeps,
  ctx: RouterContext,
  { from, memory }: { readonly from: EntityManager; readonly memory: ListMemory },
) {
  const isCostEstimated = config.agents.system.cost_estimation.enabled;
  const { chains } = config.agents;
  const query = parseListQuery(ctx.query);
  const { identity } = callerOf(ctx);
  const { page, pageSize: page_size } = query;
  const term = query.filters.search;
  const { ids, total, isCapped } = await (term === undefined
    ? listSessions(from, { query, identity }, memory)
    : searchSessions(from, { query, identity, term }, memory));
  return {
    sessions: await readSessionItems(from, ids, { search: term, isCostEstimated, chains }),
    pagination: {
      page,
      page_size,
      total_pages: Math.ceil(total / page_size),
      total_items: total,
      ...(isCapped ? { total_is_capped: true as const } : {}),
    },
    cost_estimation_enabled: isCostEstimated,
  };
}
