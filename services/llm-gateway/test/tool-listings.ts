import { readFileSync, readdirSync } from "node:fs";
import type { ToolDefinition } from "#shared/generated/llm/v1/llm.ts";
import { isObject } from "#shared/exact-json.ts";

const DIRECTORY = new URL("./tool-listings/", import.meta.url);

/** The recorded listings of real MCP servers, by package; scripts/record-tool-listings.ts records them. */
export function toolListings(): ReadonlyMap<string, readonly ToolDefinition[]> {
  const files = readdirSync(DIRECTORY).filter((file) => file.endsWith(".json"));
  return new Map(files.map(readListing));
}

function readListing(file: string): readonly [string, readonly ToolDefinition[]] {
  const listing: unknown = JSON.parse(readFileSync(new URL(file, DIRECTORY), "utf8"));
  if (!isObject(listing) || !Array.isArray(listing["tools"])) throw new Error(`${file} is no listing`);
  const tools = listing["tools"].filter(isObject).map(({ name, description, inputSchema }) => ({
    name: `server.${String(name)}`,
    description: typeof description === "string" ? description : "",
    parametersSchema: JSON.stringify(inputSchema ?? {}),
  }));
  return [`${String(listing["package"])} ${String(listing["version"])}`, tools];
}
