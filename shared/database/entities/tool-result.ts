import { EntitySchema } from "typeorm";

/** The whole text of a tool result of which the conversation has only a window. */
interface ToolResult {
  /** Of the first attempt of the call in `tool_calls`. */
  call_id: string;
  session_id: string;
  /** Of `content`, in UTF-8. */
  bytes: number;
  lines: number;
  content: string;
  created_at: Date;
}

export const ToolResultEntity = new EntitySchema<ToolResult>({
  name: "ToolResult",
  tableName: "tool_results",
  columns: {
    call_id: { type: "text", primary: true },
    session_id: { type: "uuid" },
    bytes: { type: "integer" },
    lines: { type: "integer" },
    content: { type: "text" },
    created_at: { type: "timestamptz", default: () => "now()" },
  },
});
