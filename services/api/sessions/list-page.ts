import type { ApiDeps } from "../api-deps.ts";
import type { Caller } from "../http/caller.ts";
import { readLists } from "../read-replica.ts";
import type { ListMemory } from "./list-memory.ts";
import type { ListQuery } from "./list-query.ts";
import { listSessions } from "./list-sessions.ts";
import { readSessionItems } from "./read-session-items.ts";
import { searchSessions } from "./search-sessions.ts";

/** A page of the sessions that the caller may see, sorted, filtered and searched. */
export async function listPage(
  deps: Pick<ApiDeps, "config" | "orm" | "replica">,
  caller: Caller,
  query: ListQuery,
  memory: ListMemory,
) {
  const isCostEstimated = deps.config.agents.system.cost_estimation.enabled;
  const { chains } = deps.config.agents;
  const { identity } = caller;
  const { page, pageSize: page_size } = query;
  const term = query.filters.search;
  return readLists(deps, caller, async (from) => {
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
  });
}
