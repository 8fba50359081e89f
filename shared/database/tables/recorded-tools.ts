import { table, ADD, OF_SESSION, READ } from "#shared/database/tables/table.ts";

/** A call that a session answers its agents from instead of asking tool-runners. */
export const RECORDED_TOOL_CALLS = table({
  name: "recorded_tool_calls",
  columns: {
    session_id: { ...OF_SESSION, primary: true },
    ordinal: { type: "integer", primary: true },
    /**
     * It, `iteration` and `call_index` are those that the call has in this session if it is made again; the last two are null if they are
     * not known.
     */
    execution_id: { type: "uuid" },
    iteration: { type: "integer", nullable: true },
    call_index: { type: "integer", nullable: true },
    server_name: { type: "text", from: "copies" },
    tool_name: { type: "text", from: "copies" },
    arguments: { type: "jsonb", from: "copies" },
    outcome: { type: "jsonb", from: "copies" },
    kept: { type: "jsonb", nullable: true, from: "copies" },
    /** The id of the call that was answered with the row first. */
    used_by: { type: "text", nullable: true, from: "ours", set: "executor" },
  },
  indexes: ["recorded_tool_calls_tool (session_id, server_name, tool_name, ordinal)"],
  grants: { api: ADD, executor: READ },
  purge: { kind: "session" },
});

/** A listing of tools that a session answers its agents from. */
export const RECORDED_TOOL_LISTS = table({
  name: "recorded_tool_lists",
  columns: {
    session_id: { ...OF_SESSION, primary: true },
    execution_id: { type: "uuid", primary: true },
    server_name: { type: "text", primary: true, from: "copies" },
    ordinal: { type: "integer" },
    available_tools: { type: "jsonb", from: "copies" },
    tool_result: { type: "jsonb", nullable: true, from: "copies" },
    error_message: { type: "text", nullable: true, from: "copies" },
  },
  grants: { api: ADD, executor: READ },
  purge: { kind: "session" },
});
