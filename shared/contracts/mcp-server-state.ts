import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { literals } from "#shared/contracts/literals.ts";
import { TOOL_EFFECTS } from "#shared/contracts/tool-list.ts";

/**
 * The state of an MCP server as a tool-runner knows it: `healthy` after the last contact; `degraded` while the last contact failed and an
 * earlier list of tools is still used; `down` without a usable list; `misconfigured`: its settings cannot be completed;
 * `unused` before the first contact.
 */
export const SERVER_STATES = ["healthy", "degraded", "down", "misconfigured", "unused"] as const;
export type McpServerState = (typeof SERVER_STATES)[number];

/** A tool as the rows of `mcp_server_states` describe it; the description may be cut. */
export const StoredTool = Type.Object({
  name: Type.String(),
  description: Type.String(),
  effect: Type.Optional(literals(TOOL_EFFECTS)),
  effect_known: Type.Optional(Type.Boolean()),
  needs_approval: Type.Optional(Type.Boolean()),
});
export type StoredTool = Static<typeof StoredTool>;
