import { table, ADD, READ, USD, WITH_SESSION, type Row } from "#shared/database/tables/table.ts";
import { PARKING_COLUMNS } from "#shared/database/parking-columns.ts";
import { WaitingFor } from "#shared/contracts/iteration-state.ts";
import { PARKED_BY } from "#shared/contracts/statuses.ts";

/**
 * The frequently changing part of a session, apart from the large rows and without an index on columns that a step or a heartbeat changes, so that
 * each is a small in-page update. Its row lock serialises all writes to the session.
 */
export const SESSION_RUNTIME = table({
  name: "session_runtime",
  columns: {
    session_id: { type: "uuid", primary: true },
    lease_owner: { type: "text", nullable: true, from: "ours", set: "executor" },
    /** Incremented by every claim; checked by every write of the owner (the fence). */
    lease_epoch: { type: "integer", default: "0", set: "executor" },
    /** Chosen by each claim and each step of the owner: the next one names it, and changes nothing on rows without it. */
    last_step: { type: "uuid", nullable: true, set: "executor" },
    /** By the database's clock; null while the session has no owner. */
    lease_expires_at: { type: "timestamptz", nullable: true, set: "executor" },
    /** Takeovers of an expired lease, or failed runs, since the last completed step. */
    attempts: { type: "integer", default: "0", set: "executor" },
    /** The session is not claimed before this time. */
    not_before: { type: "timestamptz", nullable: true, set: ["api", "executor"] },
    cancel_requested_at: { type: "timestamptz", nullable: true, set: ["api", "executor"] },
    cancel_actor: { type: "text", nullable: true, from: "caller", set: "api" },
    /** The newest event's `seq`; 0 without events. */
    last_seq: { type: "integer", default: "0", set: ["api", "executor"] },
    last_interaction_at: { type: "timestamptz", nullable: true, set: ["api", "executor"] },
    input_tokens: { type: "bigint", default: "0", set: "executor" },
    output_tokens: { type: "bigint", default: "0", set: "executor" },
    thinking_tokens: { type: "bigint", default: "0", set: "executor" },
    total_tokens: { type: "bigint", default: "0", set: "executor" },
    /** What the session waits for while it is released; null while it runs or may run. */
    waiting_for: { type: "jsonb", json: WaitingFor, nullable: true, from: "other", set: "executor" },
    waiting_since: { type: "timestamptz", nullable: true, set: "executor" },
    /** Time spent in waits that do not count against the session's deadline, in milliseconds. */
    paused_ms: { type: "bigint", default: "0", set: "executor" },
    /** Runs that ended because a dependency failed, since the last completed step. */
    interruptions: { type: "integer", default: "0", set: "executor" },
    /** When the events of the session began to be deleted, long after its end; null before. */
    events_purged_at: { type: "timestamptz", nullable: true, set: "api" },
    /** Rises when another writer writes what the session's owner must read. */
    inbox_seq: { type: "integer", default: "0", set: ["api", "executor"] },
    /** The session was deleted by request: its rows are removed as soon as possible. */
    erase_requested_at: { type: "timestamptz", nullable: true, set: "api" },
    llm_interaction_count: { type: "integer", default: "0", set: "executor" },
    /** Tool calls and listings. */
    mcp_interaction_count: { type: "integer", default: "0", set: "executor" },
    provider_fallback_count: { type: "integer", default: "0", set: "executor" },
    chat_message_count: { type: "integer", default: "0", set: "api" },
    /** Stages of the chain that have begun, and syntheses; the executive summary is not among them. */
    total_stages: { type: "integer", default: "0", set: "executor" },
    completed_stages: { type: "integer", default: "0", set: "executor" },
    failed_stages: { type: "integer", default: "0", set: "executor" },
    has_parallel_stages: { type: "boolean", default: "false", set: "executor" },
    has_action_stages: { type: "boolean", default: "false", set: "executor" },
    /** All stages of the chain completed. */
    has_summary_stage: { type: "boolean", default: "false", set: "executor" },
    /** The part of the input that was read from the provider's cache. */
    cached_input_tokens: { type: "bigint", default: "0", set: "executor" },
    estimated_cost_usd: { ...USD, default: "0", set: "executor" },
    priced_interaction_count: { type: "integer", default: "0", set: "executor" },
    /** Calls whose tokens are known, but no price. */
    unpriced_interaction_count: { type: "integer", default: "0", set: "executor" },
    unpriced_tokens: { type: "bigint", default: "0", set: "executor" },
    /** Which open follow-ups are cancelled: the fence of a step must find it in the row that it locks. */
    cancelled_follow_ups: { type: "uuid", array: true, default: "'{}'", set: ["api", "executor"] },
    /** The session in the place of whose wake-up the last claim was made; null before the first, after the end and for follow-ups. */
    place_id: { type: "uuid", nullable: true, set: "executor" },
    /**
     * The session has begun, and has no owner or runs in the place of another. Claims, leases and steps of a session that runs in its own place
     * change nothing in the index of these.
     */
    is_out_of_place: {
      type: "boolean",
      ddl: "GENERATED ALWAYS AS (place_id IS NOT NULL AND (lease_expires_at IS NULL OR place_id <> session_id)) STORED",
    },
    /** When the session was asked to park; null once it has gone on. */
    park_requested_at: { type: "timestamptz", nullable: true, set: ["api", "executor"] },
    park_by: { type: "text", nullable: true, enum: PARKED_BY, from: "ours", set: ["api", "executor"] },
    /** The name of the person; null for a critical session's sake. */
    park_actor: { type: "text", nullable: true, from: "caller", set: ["api", "executor"] },
    park_reason: { type: "text", nullable: true, from: "person", set: ["api", "executor"] },
    /** Until then it stays parked unless a person resumes it; null for one that waits for a place only. */
    park_until: { type: "timestamptz", nullable: true, set: ["api", "executor"] },
    /** When its owner had released it. */
    parked_at: { type: "timestamptz", nullable: true, set: ["api", "executor"] },
    /** When it last went on. */
    resumed_at: { type: "timestamptz", nullable: true, set: ["api", "executor"] },
    /** How often it has given its place to a critical session. */
    parkings: { type: "integer", default: "0", set: ["api", "executor"] },
  },
  indexes: [
    "session_runtime_not_purged (session_id) WHERE events_purged_at IS NULL",
    "session_runtime_out_of_place (session_id) WHERE is_out_of_place",
    "session_runtime_to_erase (erase_requested_at) WHERE erase_requested_at IS NOT NULL",
  ],
  storage: "fillfactor = 50",
  grants: {
    api: ADD,
    executor: READ,
    "tool-runner": {
      select: [
        "session_id",
        "lease_epoch",
        "lease_expires_at",
        "cancel_requested_at",
        "cancelled_follow_ups",
      ],
    },
    notifier: { select: ["session_id", "last_seq", "events_purged_at", "has_summary_stage"] },
  },
  purge: WITH_SESSION,
  past: {
    since: "always",
    // Neither leases nor deadlines nor inboxes, which belong to the present.
    changing: [
      { columns: ["waiting_for", "waiting_since", "paused_ms"], by: ["waiting_since"] },
      {
        columns: PARKING_COLUMNS,
        by: ["park_requested_at", "park_by", "park_actor", "park_until", "parked_at"],
      },
      ["chat_message_count"],
    ],
  },
});

export type SessionRuntime = Row<typeof SESSION_RUNTIME>;

/** What a session has used of one model, failed calls included. */
export const SESSION_MODEL_USAGE = table({
  name: "session_model_usage",
  columns: {
    session_id: { type: "uuid", primary: true, ddl: "REFERENCES session_runtime ON DELETE CASCADE" },
    model_name: { type: "text", primary: true, from: "config" },
    input_tokens: { type: "bigint" },
    /** The part of the input that was read from the provider's cache. */
    cached_input_tokens: { type: "bigint" },
    output_tokens: { type: "bigint" },
    thinking_tokens: { type: "bigint" },
    total_tokens: { type: "bigint" },
    estimated_cost_usd: USD,
    priced_interaction_count: { type: "integer" },
    /** Calls whose tokens are known, but no price. */
    unpriced_interaction_count: { type: "integer" },
    unpriced_tokens: { type: "bigint" },
  },
  storage: "fillfactor = 80",
  grants: { api: ADD, executor: { select: true, insert: true, update: true } },
  purge: { kind: "session" },
});
