import type { ToolDescription } from "#shared/contracts/tool-list.ts";
import { toolAlias } from "#shared/contracts/tool-names.ts";
import type { AgentState } from "../core/agent-state.ts";
import { rightToolNames } from "./right-tool-names.ts";

/** The definitions that an agent's calls have at most: of whole servers, and again of tools that were found. */
const MAX_TOOLS = 60;
const MAX_BYTES = 40_000;

/** The tools of an agent's servers, by what its calls have of them. */
interface DividedTools {
  /** Those of servers whose definitions every call has. */
  readonly whole: readonly ToolDescription[];
  /** Those of servers that are too large for that: the agent knows names and first sentences, and searches for definitions. */
  readonly searchable: readonly ToolDescription[];
  /** Those among them whose definitions the next call has. */
  readonly found: readonly ToolDescription[];
}

/**
 * Divides the tools of servers: while there are more than 60 or their definitions have more than 40 kB, the largest server's are
 * searched. `names` are those that were found, the newest last: the newest of them that have room are offered.
 */
export function divideTools(
  servers: readonly { readonly tools: readonly ToolDescription[] }[],
  names: readonly string[],
): DividedTools {
  const bySize = servers.map(({ tools }) => tools).toSorted((one, other) => bytesOf(one) - bytesOf(other));
  const isWhole = new Set(withinLimits(bySize, (tools) => tools));
  const searchable = servers.flatMap(({ tools }) => (isWhole.has(tools) ? [] : tools));
  if (searchable.length === 0) return { whole: servers.flatMap(({ tools }) => tools), searchable, found: [] };
  const named = names.flatMap((name) => searchable.find((tool) => tool.name === name) ?? []);
  return {
    whole: servers.flatMap(({ tools }) => (isWhole.has(tools) ? tools : [])),
    searchable,
    found: withinLimits(named.toReversed(), (tool) => [tool], { least: 1 }).toReversed(),
  };
}

/** The tools that a name means, as a model wrote it, of those whose definitions are not loaded. */
export function unloadedTools(
  { offer, tools }: Pick<AgentState, "offer" | "tools">,
  written: string,
): readonly ToolDescription[] {
  const searchable = offer?.searchable ?? [];
  if (searchable.length === 0 || tools?.some(({ name }) => name === written) === true) return [];
  const exact = searchable.filter(({ name }) => name === written || toolAlias(name) === written);
  if (exact.length > 0 || rightToolNames(written, tools ?? []).length > 0) return exact;
  const right = rightToolNames(written, searchable);
  return searchable.filter(({ name }) => right.includes(name));
}

/** The first entries that are within the limits together, and at least the first `least` of them. */
export function withinLimits<T>(
  entries: readonly T[],
  toolsOf: (entry: T) => readonly ToolDescription[],
  { tools: maxTools = MAX_TOOLS, bytes: maxBytes = MAX_BYTES, least = 0 } = {},
): readonly T[] {
  let [tools, bytes] = [0, 0];
  const end = entries.findIndex((entry) => {
    tools += toolsOf(entry).length;
    bytes += bytesOf(toolsOf(entry));
    return tools > maxTools || bytes > maxBytes;
  });
  return end === -1 ? entries : entries.slice(0, Math.max(end, least));
}

function bytesOf(tools: readonly ToolDescription[]): number {
  return tools.reduce(
    (sum, { name, description, parameters_schema }) =>
      sum + Buffer.byteLength(name) + Buffer.byteLength(description) + Buffer.byteLength(parameters_schema),
    0,
  );
}
