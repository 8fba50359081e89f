/** A job queue in the process that enqueues and handles its jobs. */
interface Peer {
  /** Stores a job durably. */
  enqueue(id: string, data: string): Promise<void>;
}

/** Starts a queue on this database, with `slots` concurrent jobs; `handle` is all that a job does. */
export type StartPeer = (options: {
  readonly databaseUrl: string;
  readonly slots: number;
  readonly handle: (id: string) => void;
}) => Promise<Peer>;

/** Postgres allows 200 connections, and BullMQ has two pools. */
const MAX_POOL = 50;

/** The size of a queue's pool: two connections more than jobs that run concurrently. */
export function poolSize(slots: number): number {
  return Math.min(slots + 2, MAX_POOL);
}
