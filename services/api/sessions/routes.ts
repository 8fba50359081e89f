import type { RouterMiddleware } from "@koa/router";
import type { ApiDeps } from "../api-deps.ts";
import { callerOf } from "../http/caller.ts";
import { parseListQuery } from "./list-query.ts";
import { listSessions } from "./list-sessions.ts";
import { readSessionItems } from "./read-session-items.ts";
import { ListMemory } from "./list-memory.ts";
import { searchSessions } from "./search-sessions.ts";

/** `GET /api/v1/sessions`: a page of the sessions that the caller may see, sorted and filtered. */
export function listSessionsRoute({ config, orm: { manager } }: ApiDeps): RouterMiddleware {
  const isCostEstimated = config.agents.system.cost_estimation.enabled;
  const { chains } = config.agents;
  const memory = new ListMemory();
  return async (ctx) => {
    const query = parseListQuery(ctx.query);
    const { identity } = callerOf(ctx);
    const { page, pageSize: page_size } = query;
    const term = query.filters.search;
    const { ids, total, isCapped } = await (term === undefined
      ? listSessions(manager, { query, identity }, memory)
      : searchSessions(manager, { query, identity, term }, memory));
    ctx.body = {
      sessions: await readSessionItems(manager, ids, { search: term, isCostEstimated, chains }),
      pagination: {
        page,
        page_size,
        total_pages: Math.ceil(total / page_size),
        total_items: total,
        ...(isCapped ? { total_is_capped: true } : {}),
      },
      cost_estimation_enabled: isCostEstimated,
    };
  };
}
