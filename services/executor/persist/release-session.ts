import type { OwnedSession } from "../owned-session.ts";

/**
 * Gives a session back before it is over. An orderly release leaves it free to be claimed at once and uses up no
 * attempt. One after a failed run counts and puts the session off, doubling from 1 s and jittered, so that a session
 * that always fails neither spins nor holds a slot. Does nothing if the session is no longer ours.
 */
export async function releaseSession(
  { db, sessionId, epoch }: OwnedSession,
  { countsAsAttempt }: { readonly countsAsAttempt: boolean },
): Promise<void> {
  if (!countsAsAttempt) {
    await db.query(
      `UPDATE session_runtime SET lease_expires_at = NULL, lease_owner = NULL WHERE session_id = $1 AND lease_epoch = $2`,
      [sessionId, epoch],
    );
    return;
  }
  await db.query(
    `UPDATE session_runtime SET lease_expires_at = NULL, lease_owner = NULL, attempts = attempts + 1,
       not_before = now() + make_interval(secs => power(2, least(attempts, 5)) * $3::float8)
     WHERE session_id = $1 AND lease_epoch = $2`,
    [sessionId, epoch, 0.5 + Math.random()],
  );
}
