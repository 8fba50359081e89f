import { literals } from "#shared/contracts/literals.ts";
import { MCP_SERVER_STATES, StoredTool } from "#shared/contracts/mcp-server-state.ts";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import { Time } from "../http/common-schemas.ts";

const Nullable = Type.Union([Type.String(), Type.Null()]);
const NullableTime = Type.Union([Time, Type.Null()]);

export const SkillParams = Type.Object({ name: Type.String() });

/** `GET /api/v1/system/config/skills/:name` */
export const SkillResponse = Type.Object({
  name: Type.String(),
  description: Type.String(),
  body: Type.String({ description: "Markdown" }),
});

export const DefaultToolsQuery = Type.Object({
  alert_type: Type.Optional(Type.String({ description: "by default the default alert type" })),
});

/** `GET /api/v1/system/default-tools` */
export const DefaultToolsResponse = Type.Object({
  alert_type: Type.Optional(Type.String()),
  mcp_servers: Type.Array(Type.String()),
  native_tools: Type.Object({
    google_search: Type.Boolean(),
    code_execution: Type.Boolean(),
    url_context: Type.Boolean(),
  }),
});

/** `GET /api/v1/system/mcp-servers` */
export const McpServersResponse = Type.Object({
  servers: Type.Array(
    Type.Object(
      {
        id: Type.String(),
        healthy: Type.Boolean(),
        state: literals(MCP_SERVER_STATES),
        last_check: NullableTime,
        tool_count: Type.Integer({ minimum: 0 }),
        tools: Type.Array(StoredTool),
        error: Nullable,
        last_error_at: NullableTime,
        era: Nullable,
        version: Nullable,
        runners: Type.Array(
          Type.Object({
            id: Type.String(),
            host: Type.String(),
            state: literals(MCP_SERVER_STATES),
            last_check: NullableTime,
            error_code: Nullable,
            error: Nullable,
            last_error_at: NullableTime,
          }),
        ),
      },
      { title: "McpServer" },
    ),
  ),
});

/** `GET /api/v1/system/warnings` */
export const WarningsResponse = Type.Object({
  warnings: Type.Array(
    Type.Object({
      id: Type.String(),
      category: literals(["mcp_health", "mcp_configuration", "mcp_effects", "llm", "notifications", "queue"]),
      message: Type.String(),
      details: Type.String(),
      server_id: Type.Optional(Type.String()),
      created_at: Time,
    }),
  ),
});
