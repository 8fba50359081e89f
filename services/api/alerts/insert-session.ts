import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import type { Database } from "#shared/database/database.ts";
import { RequestError } from "../http/request-error.ts";
import { insertOne } from "./insert-one.ts";
import type { NewSession } from "./new-session.ts";
import type { SessionInserts } from "./session-inserts.ts";
import type { SubmissionKey } from "./submission-key.ts";

const MAX_TRIES = 5;
/** A longer alert has a statement of its own, so that shorter ones do not wait for it. */
const MAX_SHARED_CHARACTERS = 32_768;

const FIND_KEY =
  "SELECT session_id, request_hash FROM idempotency_keys WHERE key = $1 AND expires_at > now()";
export const KEEP_KEY =
  "UPDATE idempotency_keys SET expires_at = now() + make_interval(hours => $2) WHERE key = $1";
const parseKey = compileParser(
  "idempotency key row",
  Type.Object({ session_id: Type.String(), request_hash: Type.String() }),
);

/**
 * Inserts a session, or returns the one that was inserted with the same key before. Throws the key's `conflict` if that
 * was a different request, and database errors; in both cases neither session nor key is stored.
 */
export async function insertSession(
  { db, inserts }: { readonly db: Database; readonly inserts: SessionInserts },
  session: NewSession,
  key: SubmissionKey | undefined,
): Promise<{ readonly sessionId: string; readonly isReplayed: boolean }> {
  const { sessionId } = session;
  if (key === undefined && session.data.length <= MAX_SHARED_CHARACTERS) {
    await inserts.insert(session);
    return { sessionId, isReplayed: false };
  }
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const isInserted = await insertOne(db, session, { key });
    if (isInserted || key === undefined) return { sessionId, isReplayed: false };
    const [existing] = await selectRows(db, parseKey, FIND_KEY, [key.key]);
    // The key has expired since the insert: the next try can take it.
    if (existing === undefined) continue;
    if (key.conflict !== undefined && existing.request_hash !== key.requestHash) throw key.conflict;
    if (key.keptHours !== undefined) await db.query(KEEP_KEY, [key.key, key.keptHours]);
    return { sessionId: existing.session_id, isReplayed: true };
  }
  throw new RequestError(503, "the idempotency key changes hands all the time: try again in a moment", {
    retryAfterSeconds: 1,
  });
}
