import { pause } from "#shared/pause.ts";
import type { OwnedSession } from "./core/owned-session.ts";
import { earliestWait, waitLeft, type AgentWait } from "./core/wait.ts";

/** A shorter wait of a whole session is not worth giving its slot back. */
const KEEP_SLOT_MS = 3_000;

/** A longer timer would fire at once; the step finds that its wait goes on. */
const MAX_PAUSE_MS = 24 * 60 * 60 * 1_000;

interface WaitingRoom {
  /** Another execution begins. */
  enter(): void;
  /**
   * Waits; resolves true when the wait is over, and false if the session is to be released instead, or if `stop` aborts.
   */
  sitOut(wait: AgentWait, stop?: AbortSignal): Promise<boolean>;
  /** An execution has ended or stopped. */
  leave(): void;
  /** Sub-agents up to this version have entered. */
  entered(subAgentsVersion: number): void;
  /** Ends all waits: the session is released. */
  close(): void;
  /** The wait of the released session; null if it was not released. */
  outcome(): AgentWait | null;
}

/**
 * Keeps the waits of a stage's executions, and releases the session once none of the open ones can work. An agent that waits for
 * its sub-agents can, as soon as one of them ends.
 */
export function waitingRoom(session: OwnedSession, executions: number): WaitingRoom {
  const waiting = new Set<AgentWait>();
  const closed = new AbortController();
  const signal = AbortSignal.any([session.signals.cancelled, session.signals.stopping, closed.signal]);
  let open = executions;
  let enteredVersion = session.memory.subAgentsVersion;
  let released: AgentWait | null = null;

  /** Resolves true once the wait is over or something new may end it, false if it is broken off. */
  const untilOver = async (wait: AgentWait, stop: AbortSignal): Promise<boolean> => {
    const settled = new AbortController();
    const either = AbortSignal.any([signal, settled.signal, stop]);
    const waits = [pause(Math.min(MAX_PAUSE_MS, Math.max(0, waitLeft(session.clock, wait))), either)];
    if (wait.inboxSeq !== undefined) waits.push(session.inbox.untilNewerThan(wait.inboxSeq, either));
    if (wait.subAgentsVersion !== undefined) {
      waits.push(session.memory.untilSubAgentsChange(wait.subAgentsVersion, either));
    }
    try {
      await Promise.race(waits);
      return true;
    } catch {
      return false;
    } finally {
      settled.abort();
      await Promise.allSettled(waits);
    }
  };

  /** A sub-agent has ended and its parent has not woken yet, or one was started and has not entered. */
  const isNewsOfSubAgents = () => {
    const { subAgentsVersion: newest } = session.memory;
    const versions = [...waiting].flatMap(({ subAgentsVersion }) => subAgentsVersion ?? []);
    return versions.length > 0 && [enteredVersion, ...versions].some((version) => version !== newest);
  };

  const releaseIfAllWait = () => {
    const [first, ...others] = waiting;
    if (first === undefined || waiting.size < open || closed.signal.aborted || isNewsOfSubAgents()) return;
    const earliest = earliestWait([first, ...others]);
    if (waitLeft(session.clock, earliest) <= KEEP_SLOT_MS) return;
    released = earliest;
    closed.abort();
  };

  return {
    enter: () => {
      open += 1;
    },
    entered: (subAgentsVersion) => {
      enteredVersion = subAgentsVersion;
      releaseIfAllWait();
    },
    sitOut: async (wait, stop = signal) => {
      waiting.add(wait);
      releaseIfAllWait();
      const isOver = await untilOver(wait, stop);
      session.signals.throwIfStopped();
      waiting.delete(wait);
      return isOver;
    },
    leave: () => {
      open -= 1;
      releaseIfAllWait();
    },
    close: () => closed.abort(),
    outcome: () => released,
  };
}
