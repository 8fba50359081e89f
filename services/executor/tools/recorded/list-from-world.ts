import type { ToolDescription } from "#shared/contracts/tool-list.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import type { WorldTool } from "#shared/worlds/world-format.ts";
import { selectTools, type ToolListing, type ToolServer } from "../list-tools.ts";
import { readWorld } from "./read-world.ts";

/** The tools that the world of a session offers on these servers; no tool-runner is asked. Throws database errors. */
export async function listFromWorld(
  { db, sessionId }: { readonly db: Queryable; readonly sessionId: string },
  servers: readonly ToolServer[],
): Promise<ToolListing> {
  const world = await readWorld(db, sessionId);
  const tools = world.servers.flatMap(({ id, tools: offered }) => offered.map((tool) => described(id, tool)));
  return selectTools({ tools }, servers);
}

/** As a tool-runner describes a tool whose effect is known. */
function described(server: string, { name, description, schema, read_only }: WorldTool): ToolDescription {
  return {
    name: `${server}.${name}`,
    server,
    description,
    parameters_schema: JSON.stringify(schema),
    read_only,
    effect: read_only ? "read" : "write",
    effect_known: true,
    gate: read_only ? "allow" : "deny",
  };
}
