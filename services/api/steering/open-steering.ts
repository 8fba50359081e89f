import { forbidden } from "#shared/access/access-refused.ts";
import { mayChange, ownerOf } from "#shared/access/authorize.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import type { ApiDeps } from "../api-deps.ts";
import type { Caller } from "../http/caller.ts";
import { maskBody } from "../http/mask-body.ts";
import { sessionFor } from "../http/visible-session.ts";
import { postSteering } from "./post-steering.ts";
import { parseSteering, steeringKey } from "./steering-request.ts";

interface Steered {
  /** Reads what `POST /api/v1/sessions/:id/messages` takes; called once it is known that the caller may see the session. */
  readonly read: () => unknown;
  /** By which a repetition is recognised; undefined for none. */
  readonly idempotencyKey: string | string[] | undefined;
  /** What is committed with the message. */
  readonly settle?: (transaction: Queryable, messageId: string) => Promise<void>;
}

/**
 * Returns what writes to the agents of a running session, whose executor learns that there is something to read. It rejects with
 * AccessRefused 403, RequestError 400, 404, 409, 422 or 429, and database errors.
 */
export function openSteering(deps: ApiDeps) {
  const { db, dispatcher, log, metrics } = deps;
  const mask = maskBody(deps, "POST /api/v1/sessions/:id/messages");
  return async (caller: Caller, sessionId: string | undefined, { read, idempotencyKey, settle }: Steered) => {
    const { session_id: id } = await sessionFor(db, caller, sessionId);
    const request = parseSteering(await read());
    const { identity } = caller;
    const key = steeringKey(idempotencyKey, id, ownerOf(identity) ?? identity.name, request);
    // Before the transaction, which locks the session's rows.
    const { content } = await mask(id, request);
    const posted = await db.transaction(async (transaction) => {
      const session = await sessionFor(transaction, caller, id, { lock: true });
      if (!mayChange(identity, session)) {
        throw forbidden("only the submitter of a session and operators may write to its agents");
      }
      const message = { ...request, ...key, content, author: identity.name };
      const stored = await postSteering(transaction, session, message);
      await settle?.(transaction, stored.messageId);
      return stored;
    });
    dispatcher.publish(posted.events);
    dispatcher.noticeInbox(id, posted.inboxSeq);
    if (posted.wakeUp !== undefined) dispatcher.wake(posted.wakeUp);
    const { mode } = request;
    const { messageId: message_id, executions: execution_ids, isReplayed } = posted;
    caller.detail = { ...caller.detail, message_id, mode };
    if (!isReplayed) metrics.steered.inc({ mode });
    log.info({ session_id: id, message_id, mode }, "message to a running session");
    return { isReplayed, accepted: { session_id: id, message_id, mode, execution_ids } };
  };
}
