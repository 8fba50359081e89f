import { Type } from "#shared/generated/typebox/typebox.mjs";
import { forbidden } from "#shared/access/access-refused.ts";
import { mayChange } from "#shared/access/authorize.ts";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { SessionEvent } from "#shared/contracts/session-event.ts";
import { isTerminal } from "#shared/contracts/statuses.ts";
import type { WakeUp } from "#shared/contracts/wake-up-queue.ts";
import { postgresSafeText } from "#shared/postgres-safe-text.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import type { ApiDeps } from "../api-deps.ts";
import type { Caller } from "../http/caller.ts";
import { RequestError } from "../http/request-error.ts";
import { sessionFor } from "../http/visible-session.ts";
import { cancelUnfinished } from "./cancel-unfinished.ts";
import type { Queryable } from "#shared/database/queryable.ts";

const CANCEL_CHAT = `
UPDATE follow_ups SET cancel_requested_at = coalesce(cancel_requested_at, now())
WHERE session_id = $1 AND kind = 'chat' AND status IN ('pending', 'active')
RETURNING follow_up_id`;
const parseFollowUp = compileParser("cancelled follow-up", Type.Object({ follow_up_id: Type.String() }));

/** The owner is notified by its inbox, too. A deferred session would wait for its time before anyone could end the work. */
const NOTIFY_OWNER = `
UPDATE session_runtime SET inbox_seq = inbox_seq + 1, not_before = NULL, cancelled_follow_ups = ARRAY(
  SELECT follow_up_id FROM follow_ups
  WHERE session_id = $1 AND status IN ('pending', 'active') AND cancel_requested_at IS NOT NULL)
WHERE session_id = $1
RETURNING coalesce(lease_expires_at > clock_timestamp(), false) AS owned`;
const parseOwner = compileParser("owner", Type.Object({ owned: Type.Boolean() }));

interface RequestedCancel {
  readonly id: string;
  readonly events: readonly SessionEvent[];
  /** For a session that must still be ended and that no executor owns. */
  readonly wakeUp: WakeUp | undefined;
}

/**
 * Commits the request to cancel a session, tells its owner, and returns its id. A pending session ends in the same commit. A running one becomes `cancelling`; its
 * owner learns of it from the bus or at its next lease renewal, and ends it as `cancelled`. Without an owner, e.g. deferred, an executor is to
 * be woken. Of a session that has ended it cancels the answer in the chat, if one is being generated; the session's status stays. Throws
 * AccessRefused and RequestError 400, 404 and 409.
 */
export async function requestCancel(
  { db, dispatcher, log }: Pick<ApiDeps, "db" | "dispatcher" | "log">,
  caller: Caller,
  sessionId: string | undefined,
): Promise<string> {
  const requested = await db.transaction(async (manager): Promise<RequestedCancel> => {
    const session = await sessionFor(manager, caller, sessionId, { lock: true });
    const { identity } = caller;
    if (!mayChange(identity, session)) {
      throw forbidden("only the submitter of a session and operators may cancel it");
    }
    const id = session.session_id;
    if (isTerminal(session.status)) return cancelChat(manager, id);
    return {
      id,
      ...(await cancelUnfinished(manager, session, { actor: postgresSafeText(identity.name).text })),
    };
  });
  const { id, events, wakeUp } = requested;
  dispatcher.cancel(id);
  dispatcher.publish(events);
  if (wakeUp !== undefined) dispatcher.wake(wakeUp);
  log.info({ session_id: id }, "cancel requested");
  return id;
}

async function cancelChat(manager: Queryable, id: string): Promise<RequestedCancel> {
  // First the row of the runtime, as every writer.
  await manager.query("SELECT 1 FROM session_runtime WHERE session_id = $1 FOR NO KEY UPDATE", [id]);
  const [cancelled] = await selectRows(manager, parseFollowUp, CANCEL_CHAT, [id]);
  if (cancelled === undefined) throw new RequestError(409, "session is not in a cancellable state");
  const [owner] = await selectRows(manager, parseOwner, NOTIFY_OWNER, [id]);
  return { id, events: [], wakeUp: owner?.owned === false ? { sessionId: id, lane: "followup" } : undefined };
}
