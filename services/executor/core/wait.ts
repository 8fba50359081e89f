import type { WaitKind, WaitingFor } from "#shared/contracts/iteration-state.ts";

/** The database's clock, for times that another process reads. */
export interface DatabaseClock {
  /** Milliseconds since the epoch. */
  databaseNow(): number;
}

/** The wait of an agent, as its owner holds it. */
export interface AgentWait extends WaitingFor {
  /** The newest entry of the session's inbox that was read before: one that is newer ends the wait early. */
  readonly inboxSeq?: number;
  /** The version of the session's sub-agents that was known: another one ends the wait early. */
  readonly subAgentsVersion?: number;
}

const FIRST_DELAY_MS = 5_000;
const LAST_DELAY_MS = 30_000;

/** Milliseconds since the step began to wait for this; 0 if it has not. */
export function waitedMs(clock: DatabaseClock, before: WaitingFor | null, kind: WaitKind): number {
  return before?.kind === kind ? clock.databaseNow() - Date.parse(before.since) : 0;
}

/**
 * Milliseconds until a step is tried again when the dependency stated no time: half of the time waited so far, at least
 * 5 s and at most 30 s, then jittered by 25 %.
 */
export function retryDelay(clock: DatabaseClock, before: WaitingFor | null, kind: WaitKind): number {
  const delay = Math.min(LAST_DELAY_MS, Math.max(FIRST_DELAY_MS, waitedMs(clock, before, kind) / 2));
  return delay * (0.75 + 0.5 * Math.random());
}

/** A wait that begins now. It goes on from `before`, the step's last wait, if that was for the same thing. */
export function waitFrom(
  clock: DatabaseClock,
  before: WaitingFor | null,
  {
    kind,
    reason,
    delayMs,
    pauses_deadline,
  }: Pick<WaitingFor, "kind" | "reason" | "pauses_deadline"> & {
    readonly delayMs: number;
  },
): WaitingFor {
  const now = clock.databaseNow();
  return {
    kind,
    reason,
    since: before?.kind === kind ? before.since : new Date(now).toISOString(),
    until: new Date(now + Math.ceil(delayMs)).toISOString(),
    pauses_deadline,
  };
}

/** Milliseconds until a wait is over; zero or negative once it is. */
export function waitLeft(clock: DatabaseClock, { until }: WaitingFor): number {
  return Date.parse(until) - clock.databaseNow();
}

/**
 * The wait of a session whose open agents all wait: the one that is over first. It pauses the deadline only if all of
 * them do, and an entry of the inbox that is new to one of them ends it.
 */
export function earliestWait(waits: readonly [AgentWait, ...AgentWait[]]): AgentWait {
  const earliest = waits.reduce((first, wait) => (wait.until < first.until ? wait : first));
  const read = waits.flatMap(({ inboxSeq }) => inboxSeq ?? []);
  return {
    ...earliest,
    pauses_deadline: waits.every(({ pauses_deadline }) => pauses_deadline),
    ...(read.length === 0 ? {} : { inboxSeq: Math.min(...read) }),
  };
}
