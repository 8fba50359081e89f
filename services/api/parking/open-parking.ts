import { forbidden } from "#shared/access/access-refused.ts";
import { mayChange } from "#shared/access/authorize.ts";
import type { FoundSession } from "#shared/database/find-session.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { postgresSafeText } from "#shared/postgres-safe-text.ts";
import type { ApiDeps } from "../api-deps.ts";
import type { Caller } from "../http/caller.ts";
import { sessionFor } from "../http/visible-session.ts";
import type { ChangedParking } from "./change-parking.ts";

const MESSAGES = {
  parking: "Session will be parked after its current step",
  parked: "Session parked",
  resuming: "Session will resume when a slot is free",
  not_parked: "Session is not parked",
};

/** What changes a locked session. */
type Change<S extends string> = (
  transaction: Queryable,
  session: FoundSession,
  /** Who wants it. */
  actor: string,
) => Promise<ChangedParking<S>>;

/** Returns what parks a session or has it resume. It rejects with AccessRefused 403, RequestError 404 and 409, and database errors. */
export function openParking({ db, dispatcher, log, places }: ApiDeps) {
  return async <S extends keyof typeof MESSAGES>(
    caller: Caller,
    sessionId: string | undefined,
    verb: "park" | "resume",
    change: Change<S>,
  ) => {
    const actor = postgresSafeText(caller.identity.name).text;
    const { id, status, events, inboxSeq, waitsIn } = await db.transaction(async (transaction) => {
      const session = await sessionFor(transaction, caller, sessionId, { lock: true });
      if (!mayChange(caller.identity, session)) {
        throw forbidden(`only the submitter of a session and operators may ${verb} it`);
      }
      return { id: session.session_id, ...(await change(transaction, session, actor)) };
    });
    dispatcher.publish(events);
    if (inboxSeq !== undefined) dispatcher.noticeInbox(id, inboxSeq);
    if (waitsIn !== undefined) {
      dispatcher.wake({ sessionId: id, lane: waitsIn });
      if (waitsIn === "critical") places.look();
    }
    caller.detail = { status };
    log.info({ session_id: id, status }, `${verb} requested`);
    return { session_id: id, status, message: MESSAGES[status] };
  };
}
