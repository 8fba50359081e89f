import type { ApiDeps } from "../api-deps.ts";
import { callerOf } from "../http/caller.ts";
import { queryReader } from "../http/query-reader.ts";
import { routesOf } from "../http/routes-of.ts";
import { sessionFor, visibleSession } from "../http/visible-session.ts";
import { compareSessions } from "./compare-sessions.ts";
import { COMPARISON, ComparisonQuery } from "./contract.ts";

const readQuery = queryReader(ComparisonQuery);

/** The route of the steps of two sessions side by side. It needs the right to read both. */
export const comparisonRoutes = (deps: ApiDeps) =>
  routesOf(COMPARISON, {
    async compareSessions(ctx) {
      const a = await visibleSession(deps.db, ctx);
      const { with: other } = readQuery(ctx.query);
      return compareSessions(deps, a, await sessionFor(deps.db, callerOf(ctx), other));
    },
  });
