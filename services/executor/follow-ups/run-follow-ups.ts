import { cancelledByUser, leaseLost, type CancelledError, type TerminalError } from "#shared/errors.ts";
import type { OwnedSession } from "../core/owned-session.ts";
import { releaseFollowedUp } from "../persist/release-session.ts";
import type { SessionState } from "../state/session-state.ts";
import { earliestWait, waitLeft, type AgentWait } from "../core/wait.ts";
import { pause } from "#shared/pause.ts";
import { closeFollowUp } from "./close-follow-up.ts";
import { runFollowUp } from "./run-follow-up.ts";

/** A longer timer would fire at once. */
const MAX_PAUSE_MS = 24 * 60 * 60 * 1_000;

/**
 * Runs the open follow-ups of an ended session beside each other, those too that are asked for meanwhile, until none is
 * open: then it gives the lease back and returns null. If all that are open wait, returns what for. Throws what concerns
 * the session: a lost lease, a stop, an unavailable dependency; the other follow-ups finish their current step first.
 */
export async function runFollowUps(session: OwnedSession): Promise<AgentWait | null> {
  const running = new Map<
    string,
    { done: Promise<void>; stop?: ((reason: CancelledError) => void) | undefined }
  >();
  const waits = new Map<string, AgentWait>();
  const failures: unknown[] = [];
  const throwIfStopped = () => {
    if (failures.length > 0) throw new OtherFailedError();
  };

  const begin = (followUp: SessionState["followUps"][number]) => {
    const entry: { done: Promise<void>; stop?: ((reason: CancelledError) => void) | undefined } = {
      done: Promise.resolve(),
    };
    const run = async () => {
      try {
        const stoppable = (stop: typeof entry.stop) => (entry.stop = stop);
        const wait = await runFollowUp(session, { followUp, throwIfStopped, stoppable });
        if (wait !== null) waits.set(followUp.follow_up_id, wait);
      } catch (error) {
        if (!(error instanceof OtherFailedError)) failures.push(error);
      } finally {
        running.delete(followUp.follow_up_id);
      }
    };
    running.set(followUp.follow_up_id, entry);
    entry.done = run();
  };

  try {
    for (;;) {
      session.signals.throwIfStopped();
      const { followUps, inboxSeq } = await session.commitMutex(() => session.memory.state());
      for (const followUp of followUps) {
        const id = followUp.follow_up_id;
        if (followUp.is_cancelled) running.get(id)?.stop?.(cancelledByUser());
        const wait = waits.get(id);
        const isWaiting = wait !== undefined && !followUp.is_cancelled && !isOver(session, wait, inboxSeq);
        if (running.has(id) || isWaiting) continue;
        waits.delete(id);
        begin(followUp);
      }
      if (followUps.length === 0 && running.size === 0) {
        if (await releaseFollowedUp(session, inboxSeq)) return null;
        if (!(await isNews(session, inboxSeq))) throw leaseLost();
        continue;
      }
      const [first, ...others] = waits.values();
      if (running.size === 0 && first !== undefined) return earliestWait([first, ...others]);
      await somethingNew(session, { running, waits, inboxSeq });
      if (failures.length > 0) throw failures[0];
    }
  } finally {
    await Promise.all([...running.values()].map(({ done }) => done));
  }
}

/** Ends every open follow-up of a session that cannot be run: the next one that is asked for may go better. */
export async function failFollowUps(session: OwnedSession, error: TerminalError): Promise<void> {
  session.memory.drop();
  const { followUps } = await session.commitMutex(() => session.memory.state());
  for (const followUp of followUps) {
    const writer = { ...session, followUpId: followUp.follow_up_id };
    await closeFollowUp(writer, followUp, "failed", error);
  }
}

function isOver(session: OwnedSession, wait: AgentWait, inboxSeq: number): boolean {
  return waitLeft(session.clock, wait) <= 0 || (wait.inboxSeq !== undefined && inboxSeq > wait.inboxSeq);
}

/** True if the inbox has an entry that the state in memory does not know; then it is read again. */
async function isNews(session: OwnedSession, inboxSeq: number): Promise<boolean> {
  return session.commitMutex(async () => {
    session.memory.drop();
    return (await session.memory.state()).inboxSeq !== inboxSeq;
  });
}

/** Resolves once a follow-up has ended, a wait is over, or others have written something; rejects when the session stops. */
async function somethingNew(
  session: OwnedSession,
  {
    running,
    waits,
    inboxSeq,
  }: {
    readonly running: ReadonlyMap<string, { readonly done: Promise<void> }>;
    readonly waits: ReadonlyMap<string, AgentWait>;
    readonly inboxSeq: number;
  },
): Promise<void> {
  const settled = new AbortController();
  const signal = AbortSignal.any([session.signals.cancelled, session.signals.stopping, settled.signal]);
  const newer = async () => {
    await session.inbox.untilNewerThan(inboxSeq, signal);
    await session.commitMutex(() => session.memory.drop());
  };
  const timers = [...waits.values()].map(async (wait) =>
    pause(Math.min(MAX_PAUSE_MS, Math.max(0, waitLeft(session.clock, wait))), signal),
  );
  const ends = [...running.values()].map(async ({ done }) => done);
  const all = [newer(), ...timers, ...ends];
  try {
    await Promise.race(all);
  } finally {
    settled.abort();
    // The losers of the race reject now.
    await Promise.allSettled([all[0], ...timers]);
  }
}

/** Stops a follow-up because another one met an error that concerns the session; caught in this file. */
class OtherFailedError extends Error {}
