import { table, ALL } from "#shared/database/tables/table.ts";
import { SERVER_STATES } from "#shared/contracts/mcp-server-state.ts";

/** What one tool-runner knows of one MCP server. */
export const MCP_SERVER_STATES = table({
  name: "mcp_server_states",
  columns: {
    server: { type: "text", primary: true, from: "config" },
    runner: { type: "uuid", primary: true },
    host: { type: "text", from: "ours" },
    state: { type: "text", enum: SERVER_STATES, checked: true, from: "ours" },
    era: { type: "text", nullable: true, from: "ours" },
    version: { type: "text", nullable: true, from: "tool" },
    tools: { type: "jsonb", from: "tool" },
    error_code: { type: "text", nullable: true, from: "ours" },
    error: { type: "text", nullable: true, from: "tool" },
    last_check_at: { type: "timestamptz", nullable: true },
    last_error_at: { type: "timestamptz", nullable: true },
    /** When it began to see the server in this state. */
    since: { type: "timestamptz", default: "now()" },
    /** The api updates it only for the lock with which old ones are taken. */
    seen_at: { type: "timestamptz", default: "now()", set: "api" },
  },
  grants: { api: { select: true, delete: true }, "tool-runner": ALL },
  purge: { kind: "own", by: "a tool-runner that stops, or the api an hour after its last sign of life" },
});

/**
 * One row for each server with a `session_cleanup_url` that an execution has called. It has no foreign key: the notice is due also for
 * a session that was erased.
 */
export const MCP_CLEANUPS = table({
  name: "mcp_cleanups",
  columns: {
    server: { type: "text", primary: true, from: "config" },
    execution_id: { type: "uuid", primary: true },
    session_id: { type: "uuid" },
    created_at: { type: "timestamptz", default: "now()" },
    /** The execution has ended, and the notice is due from `due_at` on. */
    ended_at: { type: "timestamptz", nullable: true, set: "tool-runner" },
    due_at: { type: "timestamptz", nullable: true, set: "tool-runner" },
    tries: { type: "integer", default: "0", set: "tool-runner" },
  },
  grants: { "tool-runner": { select: true, insert: true, delete: true } },
  purge: { kind: "own", by: "the tool-runner that tells the server, or a day after the execution's end" },
});

/** What a person has allowed TARSy at an MCP server: its tokens, encrypted by the tool-runners, which share it. */
export const MCP_AUTHORIZATIONS = table({
  name: "mcp_authorizations",
  columns: {
    server: { type: "text", primary: true, from: "config" },
    /** Null once it has ended. */
    sealed: { type: "bytea", nullable: true, from: "ours" },
    /** Grows with each change. */
    generation: { type: "integer", default: "1" },
    /** Until then one tool-runner alone may refresh it. */
    claimed_until: { type: "timestamptz", nullable: true },
    changed_at: { type: "timestamptz", default: "now()" },
  },
  grants: { "tool-runner": ALL },
  purge: { kind: "kept", because: "it is of the installation, one row for each server" },
});

/** Authorizations that were begun and wait for the person's browser. */
export const MCP_CONNECTS = table({
  name: "mcp_connects",
  columns: {
    state_hash: { type: "bytea", primary: true, from: "digest" },
    server: { type: "text", from: "config" },
    sealed: { type: "bytea", from: "ours" },
    expires_at: { type: "timestamptz" },
  },
  grants: { "tool-runner": { select: true, insert: true, delete: true } },
  purge: {
    kind: "own",
    by: "the tool-runner that gets its answer, or that begins another one after its end",
  },
});
