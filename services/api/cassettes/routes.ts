import pLimit from "p-limit";
import { isTerminal } from "#shared/contracts/statuses.ts";
import type { ApiDeps } from "../api-deps.ts";
import { CASSETTES } from "./contract.ts";
import { exportCassette } from "./export-cassette.ts";
import { RequestError } from "../http/request-error.ts";
import { routesOf } from "../http/routes-of.ts";
import { visibleSession } from "../http/visible-session.ts";

/** Exports that wait for the one that is made: each needs several times the memory of its session. */
const MAX_WAITING = 20;

/**
 * The route of a session as one file, without secrets, that `npm run tarsy -- replay` runs again. Follow-ups that have not ended are left
 * out.
 */
export function cassetteRoutes(deps: ApiDeps) {
  const oneAtATime = pLimit(1);
  return routesOf(CASSETTES, {
    async getCassette(ctx) {
      const { session_id, status } = await visibleSession(deps.db, ctx);
      if (!isTerminal(status)) {
        throw new RequestError(409, `session ${session_id} has not ended: it is ${status}`, {
          code: "session_not_terminal",
        });
      }
      if (oneAtATime.pendingCount >= MAX_WAITING) {
        throw new RequestError(503, "too many cassettes are being made", { retryAfterSeconds: 10 });
      }
      const text = await oneAtATime(() => exportCassette(deps, session_id, new Date()));
      ctx.set("Content-Disposition", `attachment; filename="${session_id}.cassette.json"`);
      ctx.type = "application/json";
      return Buffer.from(text);
    },
  });
}
