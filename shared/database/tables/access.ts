import { table, ADD, READ } from "#shared/database/tables/table.ts";

/** The keys with which machines call the API. The command line adds and revokes them as the owner. */
export const API_KEYS = table({
  name: "api_keys",
  columns: {
    id: { type: "text", primary: true, from: "ours" },
    secret_hash: { type: "bytea", from: "ours" },
    subject: { type: "text", from: "name" },
    roles: { type: "text", array: true, from: "ours" },
    teams: { type: "text", array: true, default: "'{}'", from: "name" },
    /** What it may do over MCP, within its roles. */
    scopes: { type: "text", array: true, default: "'{read,write}'", from: "ours" },
    created_at: { type: "timestamptz", default: "now()" },
    expires_at: { type: "timestamptz", nullable: true },
    revoked_at: { type: "timestamptz", nullable: true },
  },
  grants: { api: READ, notifier: READ },
  purge: { kind: "kept", because: "the audit log names keys by their id" },
});

/** Tickets of WebSocket clients that cannot send headers. */
export const WS_TICKETS = table({
  name: "ws_tickets",
  columns: {
    ticket_hash: { type: "bytea", primary: true, from: "digest" },
    identity: { type: "jsonb", from: "caller" },
    /** Updates are allowed only for the lock with which expired ones are taken. */
    expires_at: { type: "timestamptz", set: "api" },
  },
  indexes: ["ws_tickets_expiry (expires_at)"],
  grants: { api: { select: true, insert: true, delete: true }, notifier: { select: true, delete: true } },
  purge: { kind: "own", by: "the notifier that redeems one, or the api once it has expired" },
});

/** Sessions of people who signed in to the page with an identity provider. */
export const PAGE_SESSIONS = table({
  name: "page_sessions",
  columns: {
    session_hash: { type: "bytea", primary: true, from: "digest" },
    identity: { type: "jsonb", from: "caller" },
    /** Encrypted: what a sign-out shows the provider. */
    id_token: { type: "text", from: "ours" },
    expires_at: { type: "timestamptz" },
  },
  indexes: ["page_sessions_expiry (expires_at)"],
  grants: {
    api: { select: true, insert: true, delete: true },
    notifier: { select: ["identity", "session_hash", "expires_at"] },
  },
  purge: { kind: "own", by: "the api, when its person signs out or once it has expired" },
});

/** Who did what, and who was refused. It must outlive what it records, and only the owner can delete from it. */
export const AUDIT_LOG = table({
  name: "audit_log",
  columns: {
    id: { type: "bigint", primary: true, ddl: "GENERATED ALWAYS AS IDENTITY" },
    at: { type: "timestamptz", default: "now()" },
    service: { type: "text", from: "ours" },
    subject: { type: "text", from: "caller" },
    via: { type: "text", from: "ours" },
    peer: { type: "text", nullable: true, from: "ours" },
    action: { type: "text", from: "ours" },
    session_id: { type: "uuid", nullable: true },
    result: { type: "text", from: "ours" },
    detail: { type: "jsonb", nullable: true, from: "other" },
  },
  indexes: ["audit_log_at (at)", "audit_log_session (session_id) WHERE session_id IS NOT NULL"],
  grants: {
    api: ADD,
    executor: { insert: true },
    "tool-runner": { insert: true },
    notifier: { insert: true },
  },
  purge: { kind: "kept", because: "it must outlive what it records; only the owner can delete from it" },
});
