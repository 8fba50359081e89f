import type { TableRules } from "#shared/database/table-rules.ts";

const READ = { select: true } as const;

/** The tables of tool calls, their large results, and what a session's calls are answered from; part of TABLES in `grants.ts`. */
export const TOOL_TABLES: Readonly<Record<string, TableRules>> = {
  tool_calls: {
    grants: {
      api: READ,
      // It claims the ids of calls that must not run any more.
      executor: { select: true, insert: true },
      "tool-runner": {
        select: true,
        insert: true,
        update: ["state", "phase", "result", "is_error", "failure", "completed_at", "alive_until"],
      },
    },
    purge: { kind: "session" },
  },
  tool_results: {
    grants: {
      // For cassettes, and of a fork.
      api: { select: true, insert: true },
      // Those of the built-in tools.
      executor: { select: true, insert: true },
      // What it needs to see how much of the session's room is used.
      "tool-runner": { select: ["call_id", "session_id", "bytes"], insert: true },
    },
    purge: { kind: "session" },
  },
  recorded_tool_calls: {
    // The executor's update: which call was answered with a row.
    grants: { api: { select: true, insert: true }, executor: { select: true, update: ["used_by"] } },
    purge: { kind: "session" },
  },
  recorded_tool_lists: {
    grants: { api: { select: true, insert: true }, executor: { select: true } },
    purge: { kind: "session" },
  },
};
