import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { literals } from "#shared/contracts/literals.ts";
import { SESSION_STATUSES, isTerminal } from "#shared/contracts/statuses.ts";
import type { Database } from "#shared/database/database.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { RequestError, notFound } from "../http/request-error.ts";

const parseStatus = compileParser(
  "session status row",
  Type.Object({ status: literals(SESSION_STATUSES), is_followed_up: Type.Boolean() }),
);

/** Deleted sessions are found, too: a repetition of the request is answered like the first one. */
const LOCK = `
SELECT status, EXISTS (
  SELECT FROM follow_ups f WHERE f.session_id = $1 AND f.status IN ('pending', 'active')) AS is_followed_up
FROM alert_sessions WHERE session_id = $1 FOR NO KEY UPDATE`;

const HIDE = "UPDATE alert_sessions SET deleted_at = now() WHERE session_id = $1 AND deleted_at IS NULL";

const REQUEST_ERASURE = `
UPDATE session_runtime SET erase_requested_at = coalesce(erase_requested_at, now()) WHERE session_id = $1`;

/** First, because an alert of the group locks its row before it looks at the session. The group then begins anew. */
const FORGET_GROUP = "DELETE FROM alert_groups WHERE session_id = $1";

const FORGET_KEYS = "DELETE FROM idempotency_keys WHERE session_id = $1";

/**
 * Hides an ended session from every reader in one commit, and forgets its idempotency keys; its rows are removed soon after. Throws
 * RequestError 404 for an unknown session, and 409 while it runs, or work that follows its end does. A repetition succeeds.
 */
export async function hideSession(db: Database, id: string): Promise<void> {
  await db.transaction(async (transaction) => {
    await transaction.query(FORGET_GROUP, [id]);
    const [session] = await selectRows(transaction, parseStatus, LOCK, [id]);
    if (session === undefined) throw notFound();
    if (!isTerminal(session.status)) {
      throw new RequestError(409, "session has not ended: cancel it first, and delete it when it has ended");
    }
    if (session.is_followed_up) {
      throw new RequestError(
        409,
        "the session is still being worked on: cancel that first, e.g. the answer in its chat",
      );
    }
    for (const sql of [HIDE, REQUEST_ERASURE, FORGET_KEYS]) await transaction.query(sql, [id]);
  });
}
