import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { literals } from "#shared/contracts/literals.ts";
import { PARKED_BY } from "#shared/contracts/statuses.ts";
import { SESSION_LANES, type Lane } from "#shared/contracts/subjects.ts";
import { Uuid } from "#shared/contracts/uuid.ts";
import { queueOf, type WakeUp, type WakeUpQueue } from "#shared/contracts/wake-up-queue.ts";
import { WAITS_FOR_PLACE } from "#shared/database/parking-columns.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import type { Logger } from "#shared/service/logger.ts";
import type { ApiMetrics } from "../api-metrics.ts";
import type { Dispatcher } from "../dispatcher.ts";
import type { Database } from "#shared/database/database.ts";

const PAGE = 500;

const Unowned = Type.Object({ session_id: Uuid, created_at: Type.String(), age_seconds: Type.Number() });
const parseUnowned = compileParser("unowned session row", Unowned);

/** `created_at` is text: a JavaScript date would lose the microseconds, and the next page would repeat rows. */
const unowned = (condition: string, isDue = "(r.not_before IS NULL OR r.not_before <= now())") => `
SELECT s.session_id, s.created_at::text AS created_at,
  extract(epoch FROM clock_timestamp() - s.created_at)::float8 AS age_seconds
FROM alert_sessions s JOIN session_runtime r USING (session_id)
WHERE ${condition} AND s.deleted_at IS NULL
  AND (r.lease_expires_at IS NULL OR r.lease_expires_at < now())
  AND ${isDue}
  AND ($1::timestamptz IS NULL OR (s.created_at, s.session_id) > ($1, $2::uuid))
ORDER BY s.created_at, s.session_id LIMIT ${PAGE}`;

/** Unowned sessions with one kind of work. */
interface Source {
  readonly lane: Lane;
  /** A parked session is no sign of trouble; one that has not been started is counted by its lane. */
  readonly state: "started" | "parked" | "pending";
  /** With the `created_at` and the id of the last row of the page before, both null for the first page. */
  readonly query: string;
}

/** In the order of the lanes. */
const inLanes = (state: Source["state"], condition: string, isDue?: string): Source[] =>
  SESSION_LANES.map((lane) => ({
    lane,
    state,
    query: unowned(`${condition} AND s.lane = '${lane}'`, isDue),
  }));

const FOLLOWED_UP = `s.status NOT IN ('pending', 'in_progress', 'cancelling')
  AND s.session_id IN (SELECT session_id FROM follow_ups WHERE status IN ('pending', 'active'))`;

/**
 * Work on sessions that have ended goes first, because a person waits for it; then sessions that have started: others may
 * wait for their results, and their deadline runs. Which of the parked ones go on, executors decide.
 */
const ORDER: readonly Source[] = [
  { lane: "followup", state: "started", query: unowned(FOLLOWED_UP) },
  ...inLanes("started", "(s.status = 'cancelling' OR s.status = 'in_progress' AND r.parked_at IS NULL)"),
  ...inLanes("parked", "s.status = 'in_progress'", WAITS_FOR_PLACE),
  ...inLanes("pending", "s.status = 'pending'"),
];

/**
 * Sessions that run in the place of another one's wake-up, while that one waits. Their own wake-up is the place in which it can start:
 * if it is not in the stream any more, it is sent again.
 */
const parseBorrower = compileParser(
  "session in another's place",
  Type.Object({ session_id: Uuid, lane: literals(SESSION_LANES) }),
);
const BORROWERS = `
SELECT s.session_id, s.lane FROM alert_sessions s JOIN session_runtime r USING (session_id)
  JOIN alert_sessions lender ON lender.session_id = r.place_id JOIN session_runtime l ON l.session_id = r.place_id
WHERE s.status IN ('in_progress', 'cancelling') AND s.deleted_at IS NULL AND r.place_epoch = r.lease_epoch
  AND r.lease_expires_at > now() AND lender.session_id <> s.session_id AND lender.deleted_at IS NULL
  AND (lender.status = 'pending' OR lender.status = 'in_progress' AND l.parked_at IS NOT NULL)
ORDER BY s.created_at LIMIT ${PAGE}`;

/**
 * Wakes an executor for each session with unfinished work that has no owner and no wake-up in the stream, page by page: first
 * those that have ended and have open follow-ups, then those that have started, then those that have not, each oldest first. Resolves with the number of unowned sessions. Rejects
 * while NATS or Postgres is unavailable, and when the stream is full.
 */
export async function dispatchUnowned({
  db,
  dispatcher,
  metrics,
  log,
}: {
  readonly db: Database;
  readonly dispatcher: Dispatcher;
  readonly metrics: ApiMetrics;
  readonly log: Logger;
}): Promise<number> {
  const queued = new Map<WakeUpQueue, ReadonlySet<string>>();
  // One request for all sessions: otherwise every replica would send one for each of thousands of waiting sessions.
  const wakeLost = async (wakeUps: readonly WakeUp[]) => {
    const [first] = wakeUps;
    if (first === undefined) return 0;
    const queue = queueOf(first.lane);
    const inStream = queued.get(queue) ?? (await dispatcher.queued(queue));
    queued.set(queue, inStream);
    const lost = wakeUps.filter(({ sessionId }) => !inStream.has(sessionId));
    await dispatcher.wakeAll(lost);
    metrics.swept.inc(lost.length);
    return lost.length;
  };
  let [found, woken] = [0, 0];
  try {
    for (const { lane, state, query } of ORDER) {
      let [inLane, oldest] = [0, 0];
      for await (const page of pagesOf(db, query)) {
        inLane += page.length;
        oldest = Math.max(oldest, page[0]?.age_seconds ?? 0);
        if (state !== "parked") found += page.length;
        woken += await wakeLost(page.map(({ session_id }) => ({ sessionId: session_id, lane })));
      }
      if (state !== "pending") continue;
      metrics.waiting.set({ lane }, inLane);
      metrics.oldestWaiting.set({ lane }, oldest);
    }
    const borrowers = await selectRows(db, parseBorrower, BORROWERS, []);
    woken += await wakeLost(borrowers.map(({ session_id, lane }) => ({ sessionId: session_id, lane })));
    await countParked(db, metrics);
  } finally {
    metrics.unowned.set(found);
  }
  if (woken > 0) log.info({ sessions: woken }, "unowned sessions dispatched");
  return found;
}

const parseParked = compileParser(
  "number of parked sessions",
  Type.Object({ by: literals(PARKED_BY), parked: Type.Integer() }),
);
const COUNT_PARKED = `
SELECT by, count(r.session_id)::int AS parked
FROM unnest(ARRAY[${PARKED_BY.map((by) => `'${by}'`).join(", ")}]) AS by LEFT JOIN (
  SELECT r.session_id, r.park_by FROM session_runtime r JOIN alert_sessions s USING (session_id)
  WHERE s.status IN ('pending', 'in_progress') AND s.deleted_at IS NULL AND r.parked_at IS NOT NULL) r ON r.park_by = by
GROUP BY by`;

/** Tells the metrics how many sessions are parked. */
async function countParked(db: Database, metrics: Pick<ApiMetrics, "parked">): Promise<void> {
  const counts = await selectRows(db, parseParked, COUNT_PARKED, []);
  for (const { by, parked } of counts) metrics.parked.set({ by }, parked);
}

/** Yields a source's sessions page by page. */
async function* pagesOf(
  db: Database,
  query: string,
): AsyncGenerator<Static<typeof Unowned>[], void, undefined> {
  let last: Static<typeof Unowned> | undefined;
  for (;;) {
    const after = [last?.created_at ?? null, last?.session_id ?? null];
    const page: Static<typeof Unowned>[] = await selectRows(db, parseUnowned, query, after);
    if (page.length > 0) yield page;
    if (page.length < PAGE) return;
    last = page.at(-1);
  }
}
