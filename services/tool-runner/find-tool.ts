import type { ToolCallRequest } from "#shared/contracts/tool-call.ts";
import { NOT_LISTED_YET } from "#shared/contracts/tool-list.ts";
import { untilAborted } from "#shared/until-aborted.ts";
import { hasStubs } from "./has-stubs.ts";
import { isOffered } from "./mcp/effect-class.ts";
import type { ListedTool } from "./mcp/list-tools.ts";
import type { McpServers } from "./mcp/mcp-servers.ts";
import { mcpTool, unlistedTool } from "./mcp/mcp-tool.ts";
import type { Tool, ToolCatalogue } from "./tool.ts";

export type FoundTool =
  | { readonly kind: "tool"; readonly tool: Tool }
  /** Its server has another definition of it, or none, than the one that the execution was given. */
  | { readonly kind: "changed" }
  | { readonly kind: "unknown" }
  /** The server was asked for its tools and has not answered yet. */
  | { readonly kind: "not_listed_yet" };

/** The time for which a call waits for a list of its server's tools before it is claimed; a reply is due within 5 s. */
const LIST_WAIT_MS = 2_000;

/**
 * The tool of a call, as this runner knows it. A stub hides the tool of the same name, and its server the one of the same id.
 * A tool is called only as its server has listed it: where the request has another definition, the server is asked again,
 * because this runner's list may be the older one.
 */
export async function findTool(
  { tools: stubs, servers }: { readonly tools: ToolCatalogue; readonly servers?: McpServers },
  {
    name,
    definition_hash: hash,
    execution_id: executionId,
  }: Pick<ToolCallRequest, "name" | "definition_hash" | "execution_id">,
): Promise<FoundTool> {
  const { server = "", tool = "" } = splitToolName(name) ?? {};
  const settings = servers?.settingsOf(server);
  if (servers === undefined || settings === undefined || hasStubs(stubs, server)) {
    const stub = stubs.get(name);
    return stub === undefined ? { kind: "unknown" } : { kind: "tool", tool: stub };
  }
  if (!isOffered(settings, tool)) return { kind: "unknown" };
  if (servers.lastListing(server) === undefined) {
    const known = (await servers.list([server], LIST_WAIT_MS, executionId)).get(server);
    if (known?.kind === "failed") {
      if (known.code === "timeout" || known.code === NOT_LISTED_YET) return { kind: "not_listed_yet" };
      return { kind: "tool", tool: unlistedTool(server, tool, known.message) };
    }
  }
  const wanted = (listed: ListedTool | undefined) =>
    listed !== undefined && (hash === undefined || hash === listed.hash);
  let listed = findListed(servers, server, tool);
  if (!wanted(listed)) {
    await untilAborted(servers.probe(server, executionId), AbortSignal.timeout(LIST_WAIT_MS)).catch(
      () => undefined,
    );
    listed = findListed(servers, server, tool);
  }
  if (listed !== undefined && wanted(listed)) return { kind: "tool", tool: mcpTool(servers, server, listed) };
  return { kind: hash === undefined ? "unknown" : "changed" };
}

function findListed(servers: McpServers, server: string, tool: string): ListedTool | undefined {
  return servers.lastListing(server)?.tools.find(({ name }) => name === tool);
}

/** Splits "server.tool" at the first dot: the tool's own name may contain more. Undefined without a dot or a part. */
function splitToolName(name: string): { readonly server: string; readonly tool: string } | undefined {
  const dot = name.indexOf(".");
  if (dot <= 0 || dot === name.length - 1) return undefined;
  return { server: name.slice(0, dot), tool: name.slice(dot + 1) };
}
