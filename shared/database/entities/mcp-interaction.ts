import { EntitySchema } from "typeorm";
import { MCP_INTERACTION_TYPES, type McpInteractionType } from "#shared/contracts/statuses.ts";

/** One tool listing or call. */
interface McpInteraction {
  interaction_id: string;
  session_id: string;
  stage_id: string;
  execution_id: string;
  created_at: Date;
  interaction_type: McpInteractionType;
  server_name: string;
  tool_name: string | null;
  tool_arguments: object | null;
  tool_result: object | null;
  available_tools: object | null;
  duration_ms: number | null;
  error_message: string | null;
  /** What the other columns do not say of how a call ended (`CallOutcomeKind`). */
  outcome: object | null;
  /** The session's newest event after the commit that wrote the row last. */
  seq: number | null;
}

export const McpInteractionEntity = new EntitySchema<McpInteraction>({
  name: "McpInteraction",
  tableName: "mcp_interactions",
  columns: {
    interaction_id: { type: "uuid", primary: true },
    session_id: { type: "uuid" },
    stage_id: { type: "uuid" },
    execution_id: { type: "uuid" },
    created_at: { type: "timestamptz", default: () => "now()" },
    interaction_type: { type: "enum", enum: MCP_INTERACTION_TYPES, enumName: "mcp_interaction_type" },
    server_name: { type: "text" },
    tool_name: { type: "text", nullable: true },
    tool_arguments: { type: "jsonb", nullable: true },
    tool_result: { type: "jsonb", nullable: true },
    available_tools: { type: "jsonb", nullable: true },
    duration_ms: { type: "integer", nullable: true },
    error_message: { type: "text", nullable: true },
    outcome: { type: "jsonb", nullable: true },
    seq: { type: "integer", nullable: true },
  },
});
