import { table, ALL, OF_SESSION } from "#shared/database/tables/table.ts";
import { OUTBOX_KINDS } from "#shared/contracts/webhook-message.ts";

/** A message to people or another system. Triggers write it in the transaction that decides what it says. */
export const OUTBOX = table({
  name: "outbox",
  columns: {
    id: { type: "bigint", primary: true, ddl: "GENERATED ALWAYS AS IDENTITY" },
    session_id: OF_SESSION,
    kind: { type: "text", enum: OUTBOX_KINDS, from: "ours" },
    destination: { type: "text", from: "config" },
    /** Without a full stop, because it is the id of a signed webhook. */
    dedup_key: { type: "text", from: "ours", ddl: "UNIQUE" },
    payload: { type: "jsonb", from: "copies" },
    state: {
      type: "text",
      default: "'pending'",
      from: "ours",
      set: "api",
      ddl: "CHECK (state IN ('pending', 'sent', 'dropped', 'dead'))",
    },
    created_at: { type: "timestamptz", default: "clock_timestamp()" },
    not_before: { type: "timestamptz", default: "clock_timestamp()", set: "api" },
    attempts: { type: "integer", default: "0", set: "api" },
    lease_token: { type: "uuid", nullable: true, set: "api" },
    lease_expires_at: { type: "timestamptz", nullable: true, set: "api" },
    /** An earlier attempt may have been received although no answer to it was. */
    is_unsure: { type: "boolean", default: "false", set: "api" },
    last_error: { type: "text", nullable: true, from: "other", set: "api" },
    receipt: { type: "jsonb", nullable: true, from: "other", set: "api" },
    settled_at: { type: "timestamptz", nullable: true, set: "api" },
  },
  constraints: ["CHECK ((settled_at IS NULL) = (state = 'pending'))"],
  indexes: [
    "outbox_pending (destination, not_before, id) WHERE state = 'pending'",
    "outbox_session (session_id, destination, id)",
    "outbox_settled (settled_at) WHERE state <> 'pending'",
  ],
  grants: { api: { select: true, insert: true, delete: true }, executor: { insert: true } },
  purge: { kind: "own", by: "the api's clean-up, 30 days after they were sent or given up" },
});

/** A destination that has been tried. */
export const NOTIFICATION_DESTINATIONS = table({
  name: "notification_destinations",
  columns: {
    destination: { type: "text", primary: true, from: "config" },
    failures: { type: "integer", default: "0" },
    failing_since: { type: "timestamptz", nullable: true },
    not_before: { type: "timestamptz", nullable: true },
    last_error: { type: "text", nullable: true, from: "other" },
    stopped_address: { type: "text", nullable: true, from: "config" },
  },
  grants: { api: ALL },
  purge: { kind: "own", by: "the api's clean-up, once nothing is to be sent there any more" },
});
