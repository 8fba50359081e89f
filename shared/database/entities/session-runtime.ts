import { EntitySchema } from "typeorm";
import { USD_COLUMN } from "#shared/database/usd-column.ts";
import type { ParkedBy } from "#shared/contracts/parked-by.ts";
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
  /** The session in the place of whose wake-up this one runs; only of the claim with this epoch. */
  place_id: string | null;
  place_epoch: number | null;
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
  /** When the session was asked to park; null once it has gone on. */
  park_requested_at: Date | null;
  park_by: ParkedBy | null;
  /** The name of the person; null for a critical session's sake. */
  park_actor: string | null;
  park_reason: string | null;
  /** Until then it stays parked unless a person resumes it; null for one that waits for a place only. */
  park_until: Date | null;
  /** When its owner had released it. */
  parked_at: Date | null;
  /** When it last went on. */
  resumed_at: Date | null;
  /** How often it has given its place to a critical session. */
  parkings: number;
  /** The last claim by an executor that reads requests to park. */
  parks_epoch: number | null;
  cancel_requested_at: Date | null;
  cancel_actor: string | null;
  /** Those of the session's open follow-ups whose cancel was requested. */
  cancelled_follow_ups: string[];
  /** The newest event's `seq`; 0 without events. */
  last_seq: number;
  /** Rises with each entry that another writer adds for the owner. */
  inbox_seq: number;
  /** When the events of the session began to be deleted, long after its end; null before. */
  events_purged_at: Date | null;
  /** The session was deleted by request: its rows are removed as soon as possible. */
  erase_requested_at: Date | null;
  last_interaction_at: Date | null;
  input_tokens: number;
  output_tokens: number;
  thinking_tokens: number;
  total_tokens: number;
  /** The part of the input that was read from the provider's cache. */
  cached_input_tokens: number;
  estimated_cost_usd: number;
  priced_interaction_count: number;
  /** Calls whose tokens are known, but no price. */
  unpriced_interaction_count: number;
  unpriced_tokens: number;
  llm_interaction_count: number;
  /** Tool calls and listings. */
  mcp_interaction_count: number;
  provider_fallback_count: number;
  chat_message_count: number;
  /** Stages of the chain that have begun, and syntheses; the executive summary is not among them. */
  total_stages: number;
  completed_stages: number;
  failed_stages: number;
  has_parallel_stages: boolean;
  has_action_stages: boolean;
  /** All stages of the chain completed. */
  has_summary_stage: boolean;
}

export const SessionRuntimeEntity = new EntitySchema<SessionRuntime>({
  name: "SessionRuntime",
  tableName: "session_runtime",
  columns: {
    session_id: { type: "uuid", primary: true },
    lease_owner: { type: "text", nullable: true },
    lease_epoch: { type: "integer", default: 0 },
    lease_expires_at: { type: "timestamptz", nullable: true },
    place_id: { type: "uuid", nullable: true },
    place_epoch: { type: "integer", nullable: true },
    attempts: { type: "integer", default: 0 },
    not_before: { type: "timestamptz", nullable: true },
    waiting_for: { type: "jsonb", nullable: true },
    waiting_since: { type: "timestamptz", nullable: true },
    paused_ms: { type: "bigint", default: 0 },
    interruptions: { type: "integer", default: 0 },
    park_requested_at: { type: "timestamptz", nullable: true },
    park_by: { type: "text", nullable: true },
    park_actor: { type: "text", nullable: true },
    park_reason: { type: "text", nullable: true },
    park_until: { type: "timestamptz", nullable: true },
    parked_at: { type: "timestamptz", nullable: true },
    resumed_at: { type: "timestamptz", nullable: true },
    parkings: { type: "integer", default: 0 },
    parks_epoch: { type: "integer", nullable: true },
    cancel_requested_at: { type: "timestamptz", nullable: true },
    cancel_actor: { type: "text", nullable: true },
    cancelled_follow_ups: { type: "uuid", array: true, default: "{}" },
    last_seq: { type: "integer", default: 0 },
    inbox_seq: { type: "integer", default: 0 },
    events_purged_at: { type: "timestamptz", nullable: true },
    erase_requested_at: { type: "timestamptz", nullable: true },
    last_interaction_at: { type: "timestamptz", nullable: true },
    input_tokens: { type: "bigint", default: 0 },
    output_tokens: { type: "bigint", default: 0 },
    thinking_tokens: { type: "bigint", default: 0 },
    total_tokens: { type: "bigint", default: 0 },
    cached_input_tokens: { type: "bigint", default: 0 },
    estimated_cost_usd: { ...USD_COLUMN, default: 0 },
    priced_interaction_count: { type: "integer", default: 0 },
    unpriced_interaction_count: { type: "integer", default: 0 },
    unpriced_tokens: { type: "bigint", default: 0 },
    llm_interaction_count: { type: "integer", default: 0 },
    mcp_interaction_count: { type: "integer", default: 0 },
    provider_fallback_count: { type: "integer", default: 0 },
    chat_message_count: { type: "integer", default: 0 },
    total_stages: { type: "integer", default: 0 },
    completed_stages: { type: "integer", default: 0 },
    failed_stages: { type: "integer", default: 0 },
    has_parallel_stages: { type: "boolean", default: false },
    has_action_stages: { type: "boolean", default: false },
    has_summary_stage: { type: "boolean", default: false },
  },
});
