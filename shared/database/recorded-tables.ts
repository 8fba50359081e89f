import type { TableRules } from "#shared/database/table-rules.ts";

/** The tables of what a session's tool calls are answered from; part of TABLES in `grants.ts`. */
export const RECORDED_TABLES: Readonly<Record<string, TableRules>> = {
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
