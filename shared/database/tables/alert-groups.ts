import { table, ADD, ALL, OF_SESSION, READ } from "#shared/database/tables/table.ts";

/** The secret from which the keys of groups are made, which cannot be guessed without it. */
export const ALERT_GROUP_SECRETS = table({
  name: "alert_group_secrets",
  columns: {
    id: { type: "smallint", primary: true, default: "1", ddl: "CHECK (id = 1)" },
    secret: { type: "text", from: "ours" },
  },
  grants: { api: READ },
  purge: { kind: "kept", because: "with another secret no alert would find its group" },
  afterwards:
    "INSERT INTO alert_group_secrets (secret) VALUES (gen_random_uuid()::text || gen_random_uuid()::text);",
});

/** The alerts of one incident. The row of a key is the lock of every decision about the group. */
export const ALERT_GROUPS = table({
  name: "alert_groups",
  columns: {
    group_key: { type: "text", primary: true, from: "digest" },
    /** Null only within the transaction that inserts the row. */
    session_id: { type: "uuid", nullable: true, ddl: "UNIQUE REFERENCES alert_sessions ON DELETE CASCADE" },
    chain_id: { type: "text", from: "config" },
    window_ms: { type: "bigint" },
    /** The alerts of this session. */
    count: { type: "integer", default: "0" },
    /** Those of the texts that are stored of them. */
    bytes: { type: "bigint", default: "0" },
    reopened: { type: "integer", default: "0" },
    first_at: { type: "timestamptz", default: "clock_timestamp()" },
    last_at: { type: "timestamptz", default: "clock_timestamp()" },
    announced_at: { type: "timestamptz", nullable: true },
    resolved_at: { type: "timestamptz", nullable: true },
    is_cancelled: { type: "boolean", default: "false" },
  },
  grants: { api: ALL },
  purge: { kind: "session" },
});

/** An alert of a group. */
export const GROUP_ALERTS = table({
  name: "group_alerts",
  columns: {
    alert_id: { type: "uuid", primary: true },
    session_id: OF_SESSION,
    /** Counts the alerts of a session from 1 without a gap. */
    ordinal: { type: "integer" },
    group_key: { type: "text", from: "digest" },
    outcome: {
      type: "text",
      from: "ours",
      ddl: "CHECK (outcome IN ('opened', 'reopened', 'linked', 'counted'))",
    },
    is_resolved: { type: "boolean" },
    effect: { type: "text", nullable: true, from: "ours", ddl: "CHECK (effect IN ('conclude', 'cancel'))" },
    author: { type: "text", from: "caller" },
    /** A digest of what tells the alerts of a group apart. */
    source_key: { type: "text", nullable: true, from: "digest" },
    /** Null for the alert that opened the session, which has its text, and beyond the bounds. */
    data: { type: "text", nullable: true, from: "alert" },
    bytes: { type: "integer" },
    received_at: { type: "timestamptz", default: "clock_timestamp()" },
  },
  constraints: ["UNIQUE (session_id, ordinal)"],
  grants: { api: ADD, executor: READ },
  purge: { kind: "session" },
  past: { since: "kept" },
});

/** An agent has read the alerts of its incident up to `through`. */
export const EVIDENCE_DELIVERIES = table({
  name: "evidence_deliveries",
  columns: {
    execution_id: { type: "uuid", primary: true },
    through: { type: "integer", primary: true },
    session_id: OF_SESSION,
    alerts: { type: "integer" },
    characters: { type: "integer" },
    /** The message's. */
    sequence_number: { type: "integer" },
    delivered_at: { type: "timestamptz", default: "now()" },
  },
  indexes: ["evidence_deliveries_session (session_id)"],
  grants: { api: READ, executor: ADD },
  purge: { kind: "session" },
  past: { since: "kept" },
});
