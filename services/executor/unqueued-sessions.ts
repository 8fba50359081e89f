import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { SESSION_LANES } from "#shared/contracts/subjects.ts";
import { Uuid } from "#shared/contracts/uuid.ts";
import type { Database } from "#shared/database/database.ts";
import { isNull } from "#shared/database/connection/statement-limits.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { IS_DUE, IS_FOLLOWED_UP } from "./session-claim.ts";

/** The sessions that may be claimed without a wake-up, and the limit that the stream's consumer would enforce. */
export interface UnqueuedSessions {
  /** Up to `count` that are due and have no owner, in the order in which they go; without those of `except`. */
  find(count: number, except: readonly string[]): Promise<readonly string[]>;
  /** Whether fewer of them run than may run on all executors together. */
  hasPlace(): Promise<boolean>;
}

const SESSIONS = "s.status IN ('pending', 'in_progress', 'cancelling')";
const RANK = `array_position(ARRAY[${SESSION_LANES.map((lane) => `'${lane}'`).join(", ")}], s.lane)`;

/** Started sessions go before others, then the lanes, then age; which one runs in the place `chooseSessions` decides. */
const find = (condition: string) => `
SELECT s.session_id FROM alert_sessions s JOIN session_runtime r USING (session_id)
WHERE ${isNull("s.deleted_at")} AND ${condition} AND s.session_id <> ALL ($2::uuid[])
  AND (r.lease_expires_at IS NULL OR r.lease_expires_at < now()) AND (s.status = 'cancelling' OR ${IS_DUE})
ORDER BY s.status = 'pending', ${RANK}, s.created_at, s.session_id LIMIT $1`;
const parseFound = compileParser("session without a wake-up", Type.Object({ session_id: Uuid }));

const count = (condition: string) => `
SELECT count(*)::int AS running FROM alert_sessions s JOIN session_runtime r USING (session_id)
WHERE ${isNull("s.deleted_at")} AND ${condition} AND r.lease_expires_at > now()`;
const parseCount = compileParser("running sessions", Type.Object({ running: Type.Integer() }));

/** The number of sessions with a live lease, of all executors together: of those that have not ended, or of another condition. Reads each of them. */
export async function countRunning(db: Database, condition = SESSIONS): Promise<number> {
  const [row] = await selectRows(db, parseCount, count(condition), []);
  return row?.running ?? 0;
}

/** Sessions that have not ended, of which `max` may run. */
export function unqueuedSessions(db: Database, max: number): UnqueuedSessions {
  return unqueued(db, SESSIONS, max);
}

/** Sessions that have ended and have open follow-ups, of which `max` may be worked on. */
export function unqueuedFollowUps(db: Database, max: number): UnqueuedSessions {
  return unqueued(db, IS_FOLLOWED_UP, max);
}

function unqueued(db: Database, condition: string, max: number): UnqueuedSessions {
  return {
    find: async (wanted, except) => {
      const rows = await selectRows(db, parseFound, find(condition), [wanted, except]);
      return rows.map(({ session_id }) => session_id);
    },
    hasPlace: async () => (await countRunning(db, condition)) < max,
  };
}
