import type { TableRules } from "#shared/database/table-rules.ts";

/** The tables of MCP servers; part of TABLES in `grants.ts`. */
export const MCP_TABLES: Readonly<Record<string, TableRules>> = {
  mcp_cleanups: {
    grants: {
      "tool-runner": { select: true, insert: true, update: ["ended_at", "due_at", "tries"], delete: true },
    },
    purge: { kind: "own", by: "the tool-runner that tells the server, or a day after the execution's end" },
  },
  mcp_server_states: {
    grants: {
      // UPDATE only for the lock with which old ones are taken.
      api: { select: true, update: ["seen_at"], delete: true },
      "tool-runner": { select: true, insert: true, update: true, delete: true },
    },
    purge: { kind: "own", by: "a tool-runner that stops, or the api an hour after its last sign of life" },
  },
};
