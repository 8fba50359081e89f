import type { WakeUpQueue } from "#shared/contracts/wake-up-queue.ts";

/** A queue of wake-ups, and how an executor works on it. */
export interface ConsumedQueue {
  readonly queue: WakeUpQueue;
  /** How many wake-ups are worked on concurrently. */
  readonly slots: number;
  /** The sessions to claim for a delivered wake-up, in this order; null if none is to be claimed now. */
  readonly choose: (delivered: string, stop: AbortSignal) => Promise<readonly string[] | null>;
  /** When to look again at a session whose lease is live for `leaseMs`, in milliseconds. */
  readonly leasedForMs: (leaseMs: number) => number;
  /** Told the number of slots in use. */
  readonly setRunning: (slots: number) => void;
}
