import type { ApiDeps } from "../api-deps.ts";
import { BodyBudget } from "../http/body-budget.ts";
import { bodyReader } from "../http/body-reader.ts";
import { callerOf } from "../http/caller.ts";
import { maskBody } from "../http/mask-body.ts";
import { readJsonBody } from "../http/read-json-body.ts";
import { visibleSession } from "../http/visible-session.ts";
import { routesOf } from "../http/routes-of.ts";
import { parkForOperator, resumeForOperator } from "./change-parking.ts";
import { PARKING, ParkBody } from "./contract.ts";
import { openParking } from "./open-parking.ts";

const MAX_BODY_BYTES = 16 * 1024;
const BODY_BYTES_IN_FLIGHT = 1024 * 1024;

const readBody = bodyReader(ParkBody);

/** The routes that have a session give its place up and resume. Both are idempotent, and answer 409 for one that has ended. */
export function parkingRoutes(deps: ApiDeps) {
  const bodies = new BodyBudget(BODY_BYTES_IN_FLIGHT);
  const mask = maskBody(deps, "POST /api/v1/sessions/:id/park");
  const change = openParking(deps);
  return routesOf(PARKING, {
    async parkSession(ctx) {
      const { session_id: id } = await visibleSession(deps.db, ctx);
      const body = readBody(await readJsonBody(ctx, bodies, MAX_BODY_BYTES));
      // Before the transaction, which locks the session's rows.
      const { reason } = await mask(id, body);
      return change(callerOf(ctx), id, "park", async (transaction, session, actor) =>
        parkForOperator(transaction, session, { actor, reason: reason || null }),
      );
    },

    resumeSession: async (ctx) => change(callerOf(ctx), ctx.params["id"], "resume", resumeForOperator),
  });
}
