import { forbidden } from "#shared/access/access-refused.ts";
import { mayChange } from "#shared/access/authorize.ts";
import { postgresSafeText } from "#shared/postgres-safe-text.ts";
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

const MAX_BODY_BYTES = 16 * 1024;
const BODY_BYTES_IN_FLIGHT = 1024 * 1024;

const readBody = bodyReader(ParkBody);

const MESSAGES = {
  parking: "Session will be parked after its current step",
  parked: "Session parked",
  resuming: "Session will resume when a slot is free",
  not_parked: "Session is not parked",
};

/** The routes that have a session give its place up and resume. Both are idempotent, and answer 409 for one that has ended. */
export function parkingRoutes(deps: ApiDeps) {
  const { db, dispatcher, log, places } = deps;
  const bodies = new BodyBudget(BODY_BYTES_IN_FLIGHT);
  const mask = maskBody(deps, "POST /api/v1/sessions/:id/park");
  return routesOf(PARKING, {
    async parkSession(ctx) {
      const { session_id: id } = await visibleSession(db, ctx);
      const body = readBody(await readJsonBody(ctx, bodies, MAX_BODY_BYTES));
      const caller = callerOf(ctx);
      // Before the transaction, which locks the session's rows.
      const { reason: given } = await mask(id, body);
      const reason = given || null;
      const actor = postgresSafeText(caller.identity.name).text;
      const { status, events, inboxSeq } = await db.transaction(async (transaction) => {
        const session = await visibleSession(transaction, ctx, { lock: true });
        if (!mayChange(caller.identity, session)) {
          throw forbidden("only the submitter of a session and operators may park it");
        }
        return parkForOperator(transaction, session, { actor, reason });
      });
      dispatcher.publish(events);
      if (inboxSeq !== undefined) dispatcher.noticeInbox(id, inboxSeq);
      caller.detail = { status };
      log.info({ session_id: id, status }, "park requested");
      return { session_id: id, status, message: MESSAGES[status] };
    },

    async resumeSession(ctx) {
      const caller = callerOf(ctx);
      const resumed = await db.transaction(async (transaction) => {
        const session = await visibleSession(transaction, ctx, { lock: true });
        if (!mayChange(caller.identity, session)) {
          throw forbidden("only the submitter of a session and operators may resume it");
        }
        return { id: session.session_id, ...(await resumeForOperator(transaction, session)) };
      });
      const { id, status, events, inboxSeq, waitsIn } = resumed;
      dispatcher.publish(events);
      if (inboxSeq !== undefined) dispatcher.noticeInbox(id, inboxSeq);
      if (waitsIn !== undefined) {
        dispatcher.wake({ sessionId: id, lane: waitsIn });
        if (waitsIn === "critical") places.look();
      }
      caller.detail = { status };
      log.info({ session_id: id, status }, "resume requested");
      return { session_id: id, status, message: MESSAGES[status] };
    },
  });
}
