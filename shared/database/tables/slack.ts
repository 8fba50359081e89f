import { table, OF_SESSION } from "#shared/database/tables/table.ts";

/** What becomes of an event of another system. */
export const EXTERNAL_EVENT_STATES = ["pending", "done", "refused", "dead"] as const;
/** What is still to be said in Slack about an event that is settled. */
export const EXTERNAL_EVENT_AWAITS = ["eyes", "read", "check", "answer", "text", "decided"] as const;

/** What people did in another system. The row is committed before the event is acknowledged there, and settled with its effect. */
export const EXTERNAL_EVENTS = table({
  name: "external_events",
  columns: {
    id: { type: "bigint", primary: true, ddl: "GENERATED ALWAYS AS IDENTITY" },
    source: { type: "text", from: "ours" },
    /** The same for repetitions, of which the first is kept. */
    event_key: { type: "text", from: "other" },
    /** Of events with the same one a later one waits for those before it. */
    ordering_key: { type: "text", from: "other" },
    kind: { type: "text", from: "ours" },
    actor: { type: "text", from: "caller" },
    /** Without its text once it is settled. */
    payload: { type: "jsonb", from: "person", set: "api" },
    state: {
      type: "text",
      default: "'pending'",
      enum: EXTERNAL_EVENT_STATES,
      checked: true,
      from: "ours",
      set: "api",
    },
    /** By the other system's clock. */
    occurred_at: { type: "timestamptz" },
    received_at: { type: "timestamptz", default: "clock_timestamp()" },
    not_before: { type: "timestamptz", default: "clock_timestamp()", set: "api" },
    attempts: { type: "integer", default: "0", set: "api" },
    lease_token: { type: "uuid", nullable: true, set: "api" },
    lease_expires_at: { type: "timestamptz", nullable: true, set: "api" },
    result: { type: "jsonb", nullable: true, from: "copies", set: "api" },
    awaits: {
      type: "text",
      nullable: true,
      enum: EXTERNAL_EVENT_AWAITS,
      checked: true,
      from: "ours",
      set: "api",
    },
    last_error: { type: "text", nullable: true, from: "other", set: "api" },
    settled_at: { type: "timestamptz", nullable: true, set: "api" },
  },
  constraints: ["UNIQUE (source, event_key)", "CHECK ((settled_at IS NULL) = (state = 'pending'))"],
  indexes: [
    "external_events_pending (source, ordering_key, occurred_at, id) WHERE state = 'pending'",
    "external_events_awaiting (awaits, not_before) WHERE awaits IS NOT NULL",
    "external_events_settled (settled_at) WHERE state <> 'pending'",
  ],
  grants: { api: { select: true, insert: true, delete: true } },
  purge: { kind: "own", by: "the api's clean-up, 30 days after they were settled" },
});

/** The session that a thread in Slack is about: the newest one. */
export const SLACK_THREADS = table({
  name: "slack_threads",
  columns: {
    channel: { type: "text", primary: true, from: "other" },
    thread_ts: { type: "text", primary: true, from: "other" },
    session_id: { ...OF_SESSION, set: "api" },
    /** Our message about the session, which is edited while it runs; null before it is posted. */
    message_ts: { type: "text", nullable: true, from: "other", set: "api" },
    /** Of what the message shows. */
    body_sha256: { type: "text", nullable: true, from: "digest", set: "api" },
    is_live: { type: "boolean", default: "false", set: "api" },
    flush_at: { type: "timestamptz", default: "clock_timestamp()", set: "api" },
    /** An api is editing the message until then at most. */
    flushing_until: { type: "timestamptz", nullable: true, set: "api" },
    touched_at: { type: "timestamptz", default: "clock_timestamp()", set: "api" },
  },
  indexes: [
    "slack_threads_session (session_id)",
    "slack_threads_message (channel, message_ts) WHERE message_ts IS NOT NULL",
    "slack_threads_live (flush_at) WHERE is_live",
    "slack_threads_touched (touched_at)",
  ],
  grants: { api: { select: true, insert: true, delete: true } },
  purge: { kind: "session" },
});

/** When the next message may be written to a channel, for all apis together. */
export const SLACK_CHANNELS = table({
  name: "slack_channels",
  columns: {
    channel: { type: "text", primary: true, from: "other" },
    next_at: { type: "timestamptz", set: "api" },
  },
  grants: { api: { select: true, insert: true, delete: true } },
  purge: { kind: "own", by: "the api's clean-up, a day after the last message" },
});
