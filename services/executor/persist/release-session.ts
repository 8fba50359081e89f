import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { RESTART_EXCUSES_MS } from "#shared/contracts/durations.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { jitter } from "#shared/pause.ts";
import { postgresSafeJson } from "#shared/postgres-safe-json.ts";
import type { AgentWait } from "../core/wait.ts";
import type { SessionWriter } from "./session-writer.ts";

/** A session ends as `failed` after this number of attempts without a completed step. */
export const MAX_ATTEMPTS = 5;

/** Why a session is released before it is terminal. */
export type Release =
  /** The executor stops: the session can be claimed immediately. */
  | { readonly kind: "handover" }
  /** None of its agents can work before the wait's time. Uses up nothing. */
  | { readonly kind: "waiting"; readonly wait: AgentWait }
  /** Only a newer executor can read its configuration. Uses up nothing. */
  | { readonly kind: "newer_version" }
  /** A dependency failed. Counts as an interruption, unless Postgres was restarted just now. */
  | { readonly kind: "interrupted" }
  /** The run failed for another reason. Counts as an attempt. */
  | { readonly kind: "failed" };

const HANDOVER = `
UPDATE session_runtime SET lease_expires_at = NULL, lease_owner = NULL WHERE session_id = $1 AND lease_epoch = $2`;

/**
 * Not delayed if there is an entry in the inbox that no waiting agent has read: it may be what one of them waits for. Nor if it was asked to
 * park meanwhile, which its next owner does.
 */
const WAIT = `
UPDATE session_runtime SET lease_expires_at = NULL, lease_owner = NULL,
  not_before = CASE WHEN cancel_requested_at IS NULL AND park_requested_at IS NULL AND inbox_seq <= coalesce($5::int, inbox_seq) THEN $3::timestamptz END,
  waiting_for = $4::jsonb, waiting_since = now()
WHERE session_id = $1 AND lease_epoch = $2`;

/** The delay gives other sessions a turn until an executor of the newer version is there. */
const NEWER_VERSION = `
UPDATE session_runtime SET lease_expires_at = NULL, lease_owner = NULL,
  not_before = CASE WHEN cancel_requested_at IS NULL THEN now() + make_interval(secs => 5 * $3::float8) END
WHERE session_id = $1 AND lease_epoch = $2`;

/** The first interruption delays nothing, the next ones 2 s, doubled with each up to 30 s. */
const INTERRUPTED = `
UPDATE session_runtime SET lease_expires_at = NULL, lease_owner = NULL,
  interruptions = interruptions
    + CASE WHEN pg_postmaster_start_time() > now() - interval '${RESTART_EXCUSES_MS} ms' THEN 0 ELSE 1 END,
  not_before = CASE WHEN interruptions = 0 OR cancel_requested_at IS NOT NULL THEN NULL
               ELSE now() + make_interval(secs => least(power(2, least(interruptions, 5)), 30) * $3::float8) END
WHERE session_id = $1 AND lease_epoch = $2`;

/** The first attempt delays 1 s, doubled with each. A session without attempts left is claimed at once, to be ended. */
const FAILED = `
UPDATE session_runtime SET lease_expires_at = NULL, lease_owner = NULL,
  attempts = attempts + 1,
  not_before = CASE WHEN attempts + 1 >= ${MAX_ATTEMPTS} OR cancel_requested_at IS NOT NULL THEN NULL
               ELSE now() + make_interval(secs => power(2, attempts) * $3::float8) END
WHERE session_id = $1 AND lease_epoch = $2`;

/**
 * Releases a session's lease before the session is terminal. Delays are jittered; they keep a session that cannot go on
 * from spinning and from occupying a slot. Does nothing if another executor owns the session. A session
 * whose cancel was requested is not delayed.
 */
export async function releaseSession(
  { db, sessionId, epoch }: Pick<SessionWriter, "db" | "sessionId" | "epoch">,
  release: Release,
): Promise<void> {
  const key = [sessionId, epoch];
  switch (release.kind) {
    case "handover":
      await db.query(HANDOVER, key);
      return;
    case "waiting": {
      const { inboxSeq = null, subAgentsVersion: _version, ...wait } = release.wait;
      await db.query(WAIT, [...key, wait.until, postgresSafeJson(wait), inboxSeq]);
      return;
    }
    case "newer_version":
      await db.query(NEWER_VERSION, [...key, jitter(1)]);
      return;
    case "interrupted":
      await db.query(INTERRUPTED, [...key, jitter(1)]);
      return;
    case "failed":
      await db.query(FAILED, [...key, jitter(1)]);
      return;
    default:
      return release satisfies never;
  }
}

/**
 * Not if there is an entry in the inbox that the owner has not read: it may be another follow-up, for which no other
 * owner looks.
 */
const FOLLOWED_UP = `
UPDATE session_runtime SET lease_expires_at = NULL, lease_owner = NULL
WHERE session_id = $1 AND lease_epoch = $2 AND lease_expires_at IS NOT NULL AND inbox_seq = $3
RETURNING session_id`;
const parseReleased = compileParser("released session", Type.Object({ session_id: Type.String() }));

/**
 * Gives back the lease of an ended session without open follow-ups, as they were at entry `inboxSeq` of its inbox. Returns false
 * if others have written to the inbox since, or if the lease was lost.
 */
export async function releaseFollowedUp(
  { db, sessionId, epoch }: Pick<SessionWriter, "db" | "sessionId" | "epoch">,
  inboxSeq: number,
): Promise<boolean> {
  return (await selectRows(db, parseReleased, FOLLOWED_UP, [sessionId, epoch, inboxSeq])).length > 0;
}
