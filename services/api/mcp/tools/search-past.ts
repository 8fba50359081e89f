import { Type } from "#shared/generated/typebox/typebox.mjs";
import { SESSION_STATUSES } from "#shared/contracts/statuses.ts";
import type { ApiDeps } from "../../api-deps.ts";
import { listPage } from "../../sessions/list-page.ts";
import { parseListQuery } from "../../sessions/list-query.ts";
import { ListMemory } from "../../sessions/list-memory.ts";
import { sessionLines } from "../session-lines.ts";
import { defineTool, resultOf } from "../tool.ts";

const MAX_HITS = "20";
const DAY_MS = 86_400_000;

/** Finds earlier investigations that the caller may see. */
export const searchPastTool = (deps: ApiDeps) => {
  const memory = new ListMemory();
  return defineTool(deps, {
    action: "session.read",
    scope: "read",
    name: "search_past",
    description:
      "Find earlier investigations by words in their alert, conclusion or timeline. The newest 20, each with how its conclusion begins. Use it before starting a new investigation.",
    annotations: { title: "Find earlier investigations", readOnlyHint: true },
    input: Type.Object({
      query: Type.Optional(Type.String({ maxLength: 500, description: "words; without any, the newest" })),
      status: Type.Optional(Type.Enum(SESSION_STATUSES)),
      alert_type: Type.Optional(Type.String({ maxLength: 200 })),
      days: Type.Optional(Type.Integer({ minimum: 1, maximum: 3_650, description: "of the last days" })),
    }),
    run: async ({ query, status, alert_type, days }, call) => {
      const since = days === undefined ? undefined : new Date(Date.now() - days * DAY_MS).toISOString();
      const asked = { search: query, status, alert_type, start_date: since, page_size: MAX_HITS };
      const page = await listPage(deps, call.caller, parseListQuery(asked), memory);
      const { total_items } = page.pagination;
      const { facts, texts } = sessionLines(page.sessions, deps.config.notifications.pageUrl);
      return resultOf({ total: total_items, sessions: facts }, texts);
    },
  });
};
