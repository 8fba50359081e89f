import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { pause } from "#shared/pause.ts";

/** A thread about a session. */
interface Thread {
  readonly channel: string;
  readonly thread: string;
  readonly sessionId: string;
  /** Our message about the session; null if the thread's is not known yet, or not the one to edit. */
  readonly messageTs: string | null;
  /** The message is edited while the session runs. */
  readonly isLive: boolean;
}

/** Ids of sessions rise with time: of two sessions the newer one has the thread. */
const REMEMBER = `
INSERT INTO slack_threads AS t (channel, thread_ts, session_id, message_ts, is_live)
SELECT $1, $2, session_id, $4, $5::boolean AND s.completed_at IS NULL FROM alert_sessions s WHERE s.session_id = $3
ON CONFLICT (channel, thread_ts) DO UPDATE SET session_id = excluded.session_id, touched_at = clock_timestamp(),
  message_ts = coalesce(excluded.message_ts, CASE WHEN t.session_id = excluded.session_id THEN t.message_ts END),
  body_sha256 = CASE WHEN t.session_id = excluded.session_id THEN t.body_sha256 END,
  is_live = CASE WHEN excluded.message_ts IS NULL AND t.session_id = excluded.session_id THEN t.is_live ELSE excluded.is_live END
WHERE t.session_id <= excluded.session_id`;

/** Notes which session a thread is about. */
export async function rememberThread(db: Queryable, thread: Thread): Promise<void> {
  const { channel, thread: ts, sessionId, messageTs, isLive } = thread;
  await db.query(REMEMBER, [channel, ts, sessionId, messageTs, isLive]);
}

/** While an api edits the message, the end waits: the edit must not arrive after it. */
const STOP = `
WITH stopped AS (
  UPDATE slack_threads SET is_live = false
  WHERE session_id = $1 AND (flushing_until IS NULL OR flushing_until < clock_timestamp()) RETURNING channel, thread_ts, message_ts
)
SELECT channel, thread_ts, message_ts, false AS is_busy FROM stopped
UNION ALL
SELECT channel, thread_ts, message_ts, true FROM slack_threads t
WHERE session_id = $1 AND NOT EXISTS (SELECT FROM stopped s WHERE s.channel = t.channel AND s.thread_ts = t.thread_ts)`;
const parseStopped = compileParser(
  "thread of a session",
  Type.Object({
    channel: Type.String(),
    thread_ts: Type.String(),
    message_ts: Type.Union([Type.String(), Type.Null()]),
    is_busy: Type.Boolean(),
  }),
);
const LOOK_EVERY_MS = 250;

/** Ends the edits of a session's message, and returns it; undefined if there is none. */
export async function endLiveMessage(
  db: Queryable,
  sessionId: string,
  signal: AbortSignal,
): Promise<{ readonly channel: string; readonly thread: string; readonly ts: string } | undefined> {
  for (;;) {
    const rows = await selectRows(db, parseStopped, STOP, [sessionId]);
    if (rows.some(({ is_busy }) => is_busy)) {
      await pause(LOOK_EVERY_MS, signal);
      continue;
    }
    for (const { channel, thread_ts: thread, message_ts: ts } of rows) {
      if (ts !== null) return { channel, thread, ts };
    }
    return undefined;
  }
}
