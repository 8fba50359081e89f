import { GATEWAY_WAIT_MS } from "#shared/contracts/durations.ts";
import { SESSION_LANES, type SessionLane } from "#shared/contracts/subjects.ts";
import type { Database } from "#shared/database/database.ts";
import { chooseLane, needsCount } from "./choose-lane.ts";
import type { Choice } from "./consumed-queue.ts";
import type { ExecutorDeps } from "./core/executor-deps.ts";
import { gatewayAddress, untilGatewayConnected } from "./llm/gateway-connection.ts";
import { readOldest, readRecentStarts, readWaiting, type Waiting } from "./read-waiting.ts";
import { countRunning } from "./unqueued-sessions.ts";

/**
 * The sessions to claim for a delivered wake-up, in this order. The wake-up is a place among the running sessions; which
 * session runs in it is decided from rows. While a session runs in it, it waits for the end of that lease. A session that
 * was started goes on. One that was not gives its place to the one that goes first of those that were put off and are due:
 * its wake-up is new, and after an outage it must not queue behind a backlog while its time runs. (The wake-up of a session that was
 * handed over or interrupted returns by itself, before new ones.) Otherwise the place is for the lane that `chooseLane` names:
 * a parked session of it that waits for a place, else the delivered session if that is its own, unless an older one of the lane has lent its place, and else the oldest of the lane. The wake-up of a session
 * that runs in another's place is a free place. A session is not started at all while no gateway can be reached, because
 * then its time would run, too.
 */
export async function chooseSessions(
  { db, llm, log, config }: Pick<ExecutorDeps, "db" | "llm" | "log" | "config">,
  delivered: string,
  stop: AbortSignal,
): Promise<Choice> {
  const found = await readWaiting(db, delivered);
  if (found === undefined) return { sessions: [delivered] };
  if (found.used_for_ms !== null) return { retryInMs: found.used_for_ms + 500 * Math.random() };
  const isPending = found.pending_lane !== null;
  if (!isPending && !found.runs_elsewhere) return { sessions: [delivered] };
  const own = isPending ? [delivered] : [];
  // A critical session that waits goes before one of a lower lane that was put off, as far as the lanes' shares allow.
  const { released } = found;
  const goesFirst = released?.lane === "critical" || !found.waiting.includes("critical");
  if (released !== null && goesFirst) return { sessions: [released.session_id, ...own] };
  const sessions = await inTheirTurn(db, found, { own, places: config.maxRunning });
  if (sessions.length === 0) return { sessions };
  const isConnected = await untilGatewayConnected(llm, GATEWAY_WAIT_MS, stop).catch(() => false);
  if (isConnected) return { sessions, isContested: found.waiting.length > 1 };
  const gateway = gatewayAddress(llm);
  if (!stop.aborted) {
    log.warn({ session_id: delivered, gateway }, "session not started: no LLM gateway can be reached");
  }
  return "later";
}

/** The sessions that may start in this place; `own` is the delivered one, if it waits. */
async function inTheirTurn(
  db: Database,
  found: Waiting,
  { own, places }: { readonly own: readonly string[]; readonly places: number },
): Promise<readonly string[]> {
  const { released, parked } = found;
  const waiting = new Set([...found.waiting, ...(released === null ? [] : [released.lane])]);
  // The only lane needs no choice.
  const mustTakeTurns = places < SESSION_LANES.length && waiting.size > 1;
  const recentStarts = mustTakeTurns ? await readRecentStarts(db) : [];
  const running = new Set(found.running);
  const inUse = needsCount({ places, waiting, running }) ? await countRunning(db) : 0;
  const lane = chooseLane({ places, waiting, running, inUse, recentStarts });
  if (lane === null) return own;
  const isOfLane = (one: { readonly lane: SessionLane }) => one.lane === lane;
  const due = released === null ? [] : [released].filter(isOfLane);
  // Started sessions go first within a lane. Parked ones have wake-ups of their own, in the order of their age.
  const started = found.is_parked && lane === found.pending_lane ? due : [...due, ...parked.filter(isOfLane)];
  const first = started.map(({ session_id }) => session_id);
  if (lane !== found.pending_lane) {
    const next = [...first, ...(await readOldest(db, lane))];
    return next.length === 0 ? own : next;
  }
  // So have the others of its lane.
  const lent = found.is_parked ? [] : found.lent.filter((one) => isOfLane(one) && one.is_older);
  return [...first, ...lent.map(({ session_id }) => session_id), ...own];
}
