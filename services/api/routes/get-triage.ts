import type { RouterMiddleware } from "@koa/router";
import type { ApiDeps } from "../api-deps.ts";
import { callerOf } from "../http/caller.ts";
import { queryReader } from "../http/query-reader.ts";
import { RequestError, abbreviate } from "../http/request-error.ts";
import { readTriage } from "../review/read-triage.ts";
import { TRIAGE_GROUPS, TriageQuery } from "../schemas/triage.ts";
import { readSessionItems } from "../sessions/read-session-items.ts";

const readQuery = queryReader(TriageQuery);

/** `GET /api/v1/sessions/triage/:group`: a page of the sessions that run or are in a state of their review, newest first. */
export function getTriage({ config, db }: ApiDeps): RouterMiddleware {
  const isCostEstimated = config.agents.system.cost_estimation.enabled;
  return async (ctx) => {
    const wanted = ctx.params["group"] ?? "";
    const group = TRIAGE_GROUPS.find((one) => one === wanted);
    if (group === undefined) {
      throw new RequestError(400, `unknown triage group '${abbreviate(wanted)}'`, { allowed: TRIAGE_GROUPS });
    }
    const { page = 1, page_size = 20, assignee } = readQuery(ctx.query);
    const found = await readTriage(db, callerOf(ctx).identity, {
      group,
      page,
      pageSize: page_size,
      assignee: assignee === "" ? null : assignee,
    });
    ctx.body = {
      count: found.count,
      ...(found.isCapped ? { count_is_capped: true } : {}),
      page: found.page,
      page_size,
      total_pages: found.totalPages,
      sessions: await readSessionItems(db, found.ids, { isCostEstimated, chains: config.agents.chains }),
    };
  };
}
