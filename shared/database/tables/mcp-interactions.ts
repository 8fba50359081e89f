import { Type } from "#shared/generated/typebox/typebox.mjs";
import { table, ADD, OF_EXECUTION, WITH_EXECUTION, type Row } from "#shared/database/tables/table.ts";
import { MCP_INTERACTION_TYPES } from "#shared/contracts/statuses.ts";

/** One tool listing or call. */
export const MCP_INTERACTIONS = table({
  name: "mcp_interactions",
  columns: {
    interaction_id: { type: "uuid", primary: true },
    session_id: { type: "uuid" },
    stage_id: { type: "uuid" },
    execution_id: OF_EXECUTION,
    created_at: { type: "timestamptz", default: "now()" },
    interaction_type: { type: "enum", enum: MCP_INTERACTION_TYPES, enumName: "mcp_interaction_type" },
    server_name: { type: "text", from: "config" },
    tool_name: { type: "text", nullable: true, from: "model" },
    tool_arguments: { type: "jsonb", nullable: true, from: "arguments" },
    tool_result: { type: "jsonb", nullable: true, from: "tool" },
    available_tools: { type: "jsonb", json: Type.Array(Type.Object({})), nullable: true, from: "tool" },
    duration_ms: { type: "integer", nullable: true },
    error_message: { type: "text", nullable: true, from: "tool" },
    /** The session's newest event after the commit that wrote the row last. */
    seq: { type: "integer", nullable: true },
    /** What the other columns do not say of how a call ended (`CallOutcomeKind`). */
    outcome: { type: "jsonb", nullable: true, from: "tool" },
  },
  indexes: ["mcp_interactions_session (session_id)", "mcp_interactions_execution (execution_id, created_at)"],
  grants: { api: ADD, executor: ADD },
  purge: WITH_EXECUTION,
  past: { since: "seq" },
});

export type McpInteraction = Row<typeof MCP_INTERACTIONS>;
