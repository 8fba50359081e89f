import type { WakeUpQueue } from "#shared/contracts/wake-up-queue.ts";
import type { UnqueuedSessions } from "./unqueued-sessions.ts";
import type { Claimed } from "./session-claim.ts";

/** The treatment of a delivered wake-up. */
export type Choice =
  /**
   * Claim the first of these sessions that can be claimed; none: there is nothing to do. A contested choice is made again in turn,
   * because it depends on what others choose.
   */
  | { readonly sessions: readonly string[]; readonly isContested?: boolean }
  /** The place is in use for so long, in milliseconds. */
  | { readonly retryInMs: number }
  /** None can be started now. */
  | "later";

/** A queue of wake-ups, and how an executor works on it. */
export interface ConsumedQueue {
  readonly queue: WakeUpQueue;
  /** How many wake-ups are worked on concurrently. */
  readonly slots: number;
  /** Finds sessions without a wake-up, while the stream takes none. */
  readonly unqueued: UnqueuedSessions;
  /** Claims the delivered session without a choice if nothing competes with it; otherwise resolves undefined. */
  readonly claimAlone: (delivered: string) => Promise<Claimed | undefined>;
  readonly choose: (delivered: string, stop: AbortSignal) => Promise<Choice>;
  /** Runs a choice and its claim while no other executor makes one. */
  readonly inTurn: <T>(work: () => Promise<T>) => Promise<T>;
  /** Called with a session once its wake-up is answered, and whether its end asked for work that follows. */
  readonly finished: (sessionId: string, isFollowedUp: boolean) => void;
  /** Called with the number of slots in use. */
  readonly setRunning: (slots: number) => void;
}
