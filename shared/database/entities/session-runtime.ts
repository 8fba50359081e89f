import { EntitySchema } from "typeorm";
import type { WaitingFor } from "#shared/contracts/waiting-for.ts";

/**
 * The frequently changing part of a session, separate from the alert text of up to 1 MiB and without an index on
 * changing columns, so that a heartbeat is a small in-page update. Its row lock serialises all writes to the session.
 */
export interface SessionRuntime {
  session_id: string;
  lease_owner: string | null;
  /** Incremented by every claim; checked by every write of the owner (the fence). */
  lease_epoch: number;
  /** By the database's clock; null while the session has no owner. */
  lease_expires_at: Date | null;
  /** Takeovers of an expired lease, or failed runs, since the last completed step. */
  attempts: number;
  /** The session is not claimed before this time. */
  not_before: Date | null;
  /** What the session waits for while it is released; null while it runs or may run. */
  waiting_for: WaitingFor | null;
  waiting_since: Date | null;
  /** Time spent in waits that do not count against the session's deadline, in milliseconds. */
  paused_ms: number;
  /** Runs that ended because a dependency failed, since the last completed step. */
  interruptions: number;
  cancel_requested_at: Date | null;
  /** The newest event's `seq`; 0 without events. */
  last_seq: number;
  /** Rises with each entry that another writer adds for the owner. */
  inbox_seq: number;
  /** When the events of the session began to be deleted, long after its end; null before. */
  events_purged_at: Date | null;
  /** Somebody deleted the session: its rows are removed as soon as possible. */
  erase_requested_at: Date | null;
  last_interaction_at: Date | null;
  input_tokens: number;
  output_tokens: number;
  thinking_tokens: number;
  total_tokens: number;
}

export const SessionRuntimeEntity = new EntitySchema<SessionRuntime>({
  name: "SessionRuntime",
  tableName: "session_runtime",
  columns: {
    session_id: { type: "uuid", primary: true },
    lease_owner: { type: "text", nullable: true },
    lease_epoch: { type: "integer", default: 0 },
    lease_expires_at: { type: "timestamptz", nullable: true },
    attempts: { type: "integer", default: 0 },
    not_before: { type: "timestamptz", nullable: true },
    waiting_for: { type: "jsonb", nullable: true },
    waiting_since: { type: "timestamptz", nullable: true },
    paused_ms: { type: "bigint", default: 0 },
    interruptions: { type: "integer", default: 0 },
    cancel_requested_at: { type: "timestamptz", nullable: true },
    last_seq: { type: "integer", default: 0 },
    inbox_seq: { type: "integer", default: 0 },
    events_purged_at: { type: "timestamptz", nullable: true },
    erase_requested_at: { type: "timestamptz", nullable: true },
    last_interaction_at: { type: "timestamptz", nullable: true },
    input_tokens: { type: "bigint", default: 0 },
    output_tokens: { type: "bigint", default: 0 },
    thinking_tokens: { type: "bigint", default: 0 },
    total_tokens: { type: "bigint", default: 0 },
  },
});
