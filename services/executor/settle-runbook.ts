import { request } from "#shared/bus/request.ts";
import {
  RUNBOOK_FETCH_MS,
  runbookFetchReplyCodec,
  runbookFetchRequestCodec,
} from "#shared/contracts/runbook-requests.ts";
import { SUBJECTS } from "#shared/contracts/subjects.ts";
import { RetryableError } from "#shared/errors.ts";
import { jitter, pause } from "#shared/pause.ts";
import type { OwnedSession } from "./core/owned-session.ts";

const CONTRACT = { request: runbookFetchRequestCodec, reply: runbookFetchReplyCodec };
/** Longer than a fetch with its commits. */
const REPLY_MS = RUNBOOK_FETCH_MS + 3_000;
/** How long the session waits for a tool-runner before it goes on without the runbook. */
const PATIENCE_MS = 30_000;
const RETRY_MS = 250;

const GIVE_UP = `
INSERT INTO session_runbooks (session_id, failure)
SELECT session_id, 'no tool-runner has fetched it in time' FROM tarsy_hold_work($1)
WHERE lease_epoch = $2 AND lease_expires_at > clock_timestamp()
ON CONFLICT DO NOTHING`;

/**
 * Has a tool-runner fetch the session's runbook, unless that is settled already; a row says how it ended. Without an answer
 * in time, that is recorded as the outcome: an investigation with the default runbook is better than none. Throws the
 * session's reason when cancelled.
 */
export async function settleRunbook(
  session: Pick<
    OwnedSession,
    "bus" | "db" | "sessionId" | "epoch" | "signals" | "memory" | "commitMutex" | "log"
  >,
  patienceMs = PATIENCE_MS,
): Promise<void> {
  const { bus, db, sessionId, epoch } = session;
  const { cancelled: signal } = session.signals;
  const until = performance.now() + patienceMs;
  for (let isOver = false; !isOver;) {
    try {
      const body = { session_id: sessionId, epoch };
      const { kind } = await request(bus, SUBJECTS.runbookFetch, CONTRACT, body, REPLY_MS, signal);
      isOver = kind !== "busy";
    } catch (error) {
      if (!(error instanceof RetryableError)) throw error;
    }
    if (isOver) break;
    if (performance.now() >= until) {
      await db.query(GIVE_UP, [sessionId, epoch]);
      session.log.warn({}, "session goes on without its runbook: no tool-runner has fetched it");
      break;
    }
    await pause(jitter(RETRY_MS), signal);
  }
  // The state in memory says that it is due.
  await session.commitMutex(() => {
    session.memory.drop();
    return Promise.resolve();
  });
}
