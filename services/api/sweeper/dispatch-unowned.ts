import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { literals } from "#shared/contracts/literals.ts";
import { PARKED_BY } from "#shared/contracts/statuses.ts";
import { FOLLOWUP_LANE, SESSION_LANES, type Lane } from "#shared/contracts/subjects.ts";
import { Uuid } from "#shared/contracts/uuid.ts";
import { queueOf, type WakeUp, type WakeUpQueue } from "#shared/contracts/wake-up-queue.ts";
import { WAITS_FOR_PLACE } from "#shared/database/parking-columns.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import type { Logger } from "#shared/service/logger.ts";
import type { ApiMetrics } from "../api-metrics.ts";
import type { Dispatcher } from "../dispatcher.ts";
import type { Database } from "#shared/database/database.ts";

const PAGE = 500;

const WaitingSession = Type.Object({
  source: Type.Integer(),
  session_id: Uuid,
  lane: literals([...SESSION_LANES, FOLLOWUP_LANE]),
  created_at: Type.String(),
  age_seconds: Type.Number(),
});
const parseWaiting = compileParser("session that waits for a wake-up", WaitingSession);
const parseSweep = compileParser(
  "what waits for a sweep",
  Type.Object({
    waiting: Type.Array(WaitingSession),
    parked: Type.Array(Type.Object({ by: literals(PARKED_BY), parked: Type.Integer() })),
  }),
);

/** The sessions of one kind after that of `$1` and `$2`, both null for the first page. */
const page = (lane: string, condition: string, joined = "") => `
SELECT s.session_id, ${lane} AS lane, s.created_at FROM alert_sessions s JOIN session_runtime r USING (session_id) ${joined}
WHERE ${condition} AND s.deleted_at IS NULL
  AND ($1::timestamptz IS NULL OR (s.created_at, s.session_id) > ($1, $2::uuid))
ORDER BY s.created_at, s.session_id LIMIT ${PAGE}`;

const unowned = (lane: Lane, condition: string, isDue = "(r.not_before IS NULL OR r.not_before <= now())") =>
  page(
    `'${lane}'`,
    `${condition} AND (r.lease_expires_at IS NULL OR r.lease_expires_at < now()) AND ${isDue}`,
  );

/** Sessions with one kind of work. */
interface Source {
  /** Of an unowned session; null for one that runs in the place of another. */
  readonly lane: Lane | null;
  /** A parked session is no sign of trouble; one that has not been started is counted by its lane. */
  readonly state: "started" | "parked" | "pending" | "borrower";
  readonly query: string;
}

/** In the order of the lanes. */
const inLanes = (state: Source["state"], condition: string, isDue?: string): Source[] =>
  SESSION_LANES.map((lane) => ({
    lane,
    state,
    query: unowned(lane, `${condition} AND s.lane = '${lane}'`, isDue),
  }));

const FOLLOWED_UP = `s.status NOT IN ('pending', 'in_progress', 'cancelling')
  AND s.session_id IN (SELECT session_id FROM follow_ups WHERE status IN ('pending', 'active'))`;

/**
 * Sessions that run in the place of another one's wake-up, while that one waits. Their own wake-up is the place in which it can start:
 * if it is not in the stream any more, it is sent again.
 */
const BORROWERS = page(
  "s.lane",
  `s.status IN ('in_progress', 'cancelling') AND r.lease_expires_at > now() AND lender.deleted_at IS NULL
  AND (lender.status = 'pending' OR lender.status = 'in_progress' AND l.parked_at IS NOT NULL)`,
  "JOIN alert_sessions lender ON lender.session_id = r.place_id JOIN session_runtime l ON l.session_id = r.place_id",
);

/**
 * Work on sessions that have ended goes first, because a person waits for it; then sessions that have started: others may
 * wait for their results, and their deadline runs. Which of the parked ones go on, executors decide.
 */
const ORDER: readonly Source[] = [
  { lane: "followup", state: "started", query: unowned("followup", FOLLOWED_UP) },
  ...inLanes("started", "(s.status = 'cancelling' OR s.status = 'in_progress' AND r.parked_at IS NULL)"),
  ...inLanes("parked", "s.status = 'in_progress'", WAITS_FOR_PLACE),
  ...inLanes("pending", "s.status = 'pending'"),
  { lane: null, state: "borrower", query: BORROWERS },
];

/** `created_at` becomes text: a JavaScript date would lose the microseconds, and the next page would repeat rows. */
const rowsOf = (pages: string) => `
SELECT source, session_id, lane, created_at::text AS created_at,
  extract(epoch FROM clock_timestamp() - created_at)::float8 AS age_seconds
FROM (${pages}) pages ORDER BY source, pages.created_at, session_id`;

const fromSource = ({ query }: Source, source: number) =>
  `(SELECT ${source} AS source, page.* FROM (${query}) page)`;

/** Of the metrics. */
const PARKED = `
SELECT by, count(r.session_id)::int AS parked
FROM unnest(ARRAY[${PARKED_BY.map((by) => `'${by}'`).join(", ")}]) AS by LEFT JOIN (
  SELECT r.session_id, r.park_by FROM session_runtime r JOIN alert_sessions s USING (session_id)
  WHERE s.status IN ('pending', 'in_progress') AND s.deleted_at IS NULL AND r.parked_at IS NOT NULL) r ON r.park_by = by
GROUP BY by`;

/** One statement for the first pages of all and for what is counted, because most of the time there is nothing to do. */
const SWEEP = `
SELECT (SELECT coalesce(json_agg(w), '[]') FROM (${rowsOf(ORDER.map(fromSource).join(" UNION ALL "))}) w) AS waiting,
       (SELECT json_agg(p) FROM (${PARKED}) p) AS parked`;
const NEXT_PAGE = ORDER.map((source, index) => rowsOf(fromSource(source, index)));

/**
 * Wakes an executor for each session with unfinished work that has no owner and no wake-up in the stream, page by page: first
 * those that have ended and have open follow-ups, then those that have started, then those that have not, each oldest first. Resolves with
 * the number of unowned sessions and whether a critical one waits for a place. Rejects while NATS or Postgres is unavailable, and
 * when the stream is full.
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
}): Promise<{ readonly unowned: number; readonly criticalWaits: boolean }> {
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
  let [found, woken, criticalWaits] = [0, 0, false];
  try {
    const sweep = await readSweep(db);
    for (const { by, parked } of sweep.parked) metrics.parked.set({ by }, parked);
    for (const [index, { lane, state }] of ORDER.entries()) {
      let rows = sweep.waiting.filter(({ source }) => source === index);
      const oldest = rows[0]?.age_seconds ?? 0;
      let inLane = 0;
      for (;;) {
        inLane += rows.length;
        woken += await wakeLost(rows.map((row) => ({ sessionId: row.session_id, lane: row.lane })));
        const last = rows.at(-1);
        if (last === undefined || rows.length < PAGE) break;
        rows = await selectRows(db, parseWaiting, NEXT_PAGE[index] ?? "", [last.created_at, last.session_id]);
      }
      if (state === "started" || state === "pending") found += inLane;
      if (lane === "critical" && state !== "started") criticalWaits ||= inLane > 0;
      if (state !== "pending" || lane === null) continue;
      metrics.waiting.set({ lane }, inLane);
      metrics.oldestWaiting.set({ lane }, oldest);
    }
  } finally {
    metrics.unowned.set(found);
  }
  if (woken > 0) log.info({ sessions: woken }, "unowned sessions dispatched");
  return { unowned: found, criticalWaits };
}

async function readSweep(db: Database): Promise<ReturnType<typeof parseSweep>> {
  const [sweep] = await selectRows(db, parseSweep, SWEEP, [null, null]);
  return sweep ?? { waiting: [], parked: [] };
}
