import { SESSION_LANES, type SessionLane } from "#shared/contracts/subjects.ts";

/** The fewest places for sessions with which lanes have places of their own. */
const MIN_PLACES_FOR_SHARES = SESSION_LANES.length;
/** With fewer places, lower lanes get one of so many starts while a higher one has waiting sessions. */
const LOWER_EVERY = 4;
/** The lowest lane gets one of so many starts if the one between waits, too. */
const LOWEST_EVERY = 2 * LOWER_EVERY;

/** How many of the last starts the choice depends on. */
export const RECENT_STARTS = LOWEST_EVERY - 1;

/** The rows at the moment of a choice. */
interface LaneLoad {
  /** Sessions that all executors together may run. */
  readonly places: number;
  /** The lanes with sessions that have not been started. */
  readonly waiting: ReadonlySet<SessionLane>;
  /** The lanes of which a session runs. */
  readonly running: ReadonlySet<SessionLane>;
  /** All sessions that run; only read if `needsCount`. */
  readonly inUse: number;
  /** The lanes of the sessions that were started last, the newest first; only read with fewer places than lanes. */
  readonly recentStarts: readonly SessionLane[];
}

/**
 * The lane whose session takes a free place; null if none waits. The highest lane goes first. With at least three places a
 * lane with waiting sessions keeps one place: it is chosen while none of its sessions runs and the free places are no more
 * than such lanes. With fewer places every fourth start goes to a lower lane.
 */
export function chooseLane(load: LaneLoad): SessionLane | null {
  const { places, waiting, inUse, recentStarts } = load;
  const [highest, ...lower] = SESSION_LANES.filter((lane) => waiting.has(lane));
  if (highest === undefined) return null;
  if (places < MIN_PLACES_FOR_SHARES) return lowerInTurn(highest, lower, recentStarts);
  const without = withoutPlace(load);
  return without.length >= Math.max(1, places - inUse) ? (without[0] ?? highest) : highest;
}

/** Whether the choice depends on the number of all sessions that run, which is costly to read: if the highest lane runs and a lower one does not. */
export function needsCount(load: Pick<LaneLoad, "places" | "waiting" | "running">): boolean {
  const highest = SESSION_LANES.find((lane) => load.waiting.has(lane));
  const [first = highest] = withoutPlace(load);
  return load.places >= MIN_PLACES_FOR_SHARES && first !== highest;
}

function withoutPlace({ waiting, running }: Pick<LaneLoad, "waiting" | "running">): SessionLane[] {
  return SESSION_LANES.filter((lane) => waiting.has(lane) && !running.has(lane));
}

function lowerInTurn(
  highest: SessionLane,
  lower: readonly SessionLane[],
  recentStarts: readonly SessionLane[],
): SessionLane {
  const rank = (lane: SessionLane) => SESSION_LANES.indexOf(lane);
  const [next] = lower;
  const latest = recentStarts.slice(0, LOWER_EVERY - 1);
  const isLowersTurn =
    latest.length === LOWER_EVERY - 1 && latest.every((lane) => rank(lane) <= rank(highest));
  if (next === undefined || !isLowersTurn) return highest;
  const lowest = lower.at(-1) ?? next;
  return recentStarts.slice(0, LOWEST_EVERY - 1).includes(lowest) ? next : lowest;
}
