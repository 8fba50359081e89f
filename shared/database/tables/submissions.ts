import { table, ALL, OF_SESSION } from "#shared/database/tables/table.ts";

/** Maps a repeated submission to the session of the first one. */
export const IDEMPOTENCY_KEYS = table({
  name: "idempotency_keys",
  columns: {
    /** SHA-256 in hex of the author with the client's own key, or with the alert's type and fingerprint. */
    key: { type: "text", primary: true, from: "digest" },
    session_id: OF_SESSION,
    /** SHA-256 in hex of the first request; a client's key with another request is refused. */
    request_hash: { type: "text", from: "digest" },
    created_at: { type: "timestamptz", default: "now()" },
    expires_at: { type: "timestamptz" },
  },
  indexes: ["idempotency_keys_session (session_id)", "idempotency_keys_expires (expires_at)"],
  grants: { api: ALL },
  purge: { kind: "own", by: "the api's clean-up, once a key has expired" },
});

/** What webhooks received that starts no session, such as that an alert is resolved. */
export const ALERT_NOTIFICATIONS = table({
  name: "alert_notifications",
  columns: {
    /** The same for repetitions, of which the first is kept. */
    key: { type: "text", primary: true, from: "digest" },
    source: { type: "text", from: "ours" },
    /** The session of the same alerts, if there is one. */
    session_id: { type: "uuid", nullable: true, ddl: "REFERENCES alert_sessions ON DELETE CASCADE" },
    body: { type: "text", from: "alert" },
    /** Updates are allowed only for the lock with which old ones are taken. */
    received_at: { type: "timestamptz", default: "now()", set: "api" },
  },
  indexes: [
    "alert_notifications_received (received_at)",
    "alert_notifications_session (session_id) WHERE session_id IS NOT NULL",
  ],
  grants: { api: { select: true, insert: true, delete: true } },
  purge: { kind: "own", by: "the api's clean-up, 30 days after they were received" },
});
