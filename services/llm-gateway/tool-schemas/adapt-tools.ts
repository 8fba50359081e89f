import type { ToolDefinition, WarningInfo } from "#shared/generated/llm/v1/llm.ts";
import { TOOLS_LEFT_OUT, TOOL_SCHEMAS_SHORTENED } from "#shared/contracts/call-warnings.ts";
import { toolAlias } from "#shared/contracts/tool-alias.ts";
import { adaptTool, type AdaptedTool } from "./adapt-tool.ts";
import type { ToolRules } from "./tool-rules.ts";

/** The tools of a call in a form that its API accepts. */
export interface AdaptedTools {
  /** By the tool's own name, in the order of the call. */
  readonly tools: ReadonlyMap<string, AdaptedTool>;
  /** About tools that are left out, and schemas that lost more than an API's form costs. */
  readonly warnings: readonly WarningInfo[];
}

/** How many tools a warning names. */
const MAX_NAMED = 20;
/** Below this, a schema says too little to shorten it further. */
const MIN_SCHEMA_LENGTH = 512;

/**
 * Brings all tools of a call into the form that an API accepts. Tools of which nothing can be made, whose name another
 * tool has, or that are beyond the API's number are left out; so are the last ones if all together are too large even when
 * shortened. A failure concerns its own tool only.
 */
export function adaptTools(definitions: readonly ToolDefinition[], rules: ToolRules): AdaptedTools {
  const leftOut: string[] = [];
  const usable = new Map<string, { readonly source: ToolDefinition; readonly tool: AdaptedTool }>();
  const encoded = new Set<string>();
  for (const source of definitions) {
    const problem =
      nameProblem(source, encoded) ??
      (usable.size >= rules.maxTools ? `${rules.api} takes ${rules.maxTools} tools` : undefined);
    const tool = problem === undefined ? tryAdapt(source, rules) : problem;
    if (typeof tool === "string") {
      leftOut.push(`${named(source)} (${tool})`);
      continue;
    }
    encoded.add(toolAlias(source.name));
    usable.set(source.name, { source, tool });
  }
  const limit = fairLength(
    [...usable.values()].map(({ tool }) => lengthOf(tool)),
    rules.maxTotalLength,
  );
  const tools = new Map<string, AdaptedTool>();
  let total = 0;
  for (const [name, { source, tool: whole }] of usable) {
    const tool = lengthOf(whole) <= limit ? whole : tryAdapt(source, rules, limit);
    const length = typeof tool === "string" ? 0 : lengthOf(tool);
    if (typeof tool === "string" || total + length > rules.maxTotalLength) {
      leftOut.push(`${named(source)} (all tools together are too large)`);
      continue;
    }
    total += length;
    tools.set(name, tool);
  }
  const shortened = [...tools].flatMap(([name, { loss }]) =>
    loss === undefined ? [] : [`${name} (${loss})`],
  );
  return {
    tools,
    warnings: [
      ...warning(TOOLS_LEFT_OUT, "tools that are not offered to the model", leftOut),
      ...warning(TOOL_SCHEMAS_SHORTENED, "tools whose arguments the model knows in part only", shortened),
    ],
  };
}

function tryAdapt(source: ToolDefinition, rules: ToolRules, maxLength?: number): AdaptedTool | string {
  try {
    const tool = adaptTool(source, rules, maxLength);
    return "hopeless" in tool ? tool.hopeless : tool;
  } catch {
    return "its schema cannot be read";
  }
}

function nameProblem({ name }: ToolDefinition, encoded: ReadonlySet<string>): string | undefined {
  if (name.trim() === "") return "it has no name";
  return encoded.has(toolAlias(name)) ? "another tool has the same name" : undefined;
}

function named({ name }: ToolDefinition): string {
  return name.trim() === "" ? "a tool" : name.slice(0, 200);
}

function lengthOf({ definition }: AdaptedTool): number {
  return definition.name.length + definition.description.length + definition.parametersSchema.length;
}

/** The length to which the longest must be shortened for all to fit. */
function fairLength(lengths: readonly number[], total: number): number {
  const ascending = lengths.toSorted((a, b) => a - b);
  let left = total;
  for (const [index, length] of ascending.entries()) {
    const share = left / (ascending.length - index);
    if (length > share) return Math.max(MIN_SCHEMA_LENGTH, Math.floor(share));
    left -= length;
  }
  return Infinity;
}

function warning(code: string, what: string, tools: readonly string[]): readonly WarningInfo[] {
  if (tools.length === 0) return [];
  const more = tools.length - MAX_NAMED;
  const names = [...tools.slice(0, MAX_NAMED), ...(more > 0 ? [`${more} more`] : [])].join(", ");
  return [{ code, message: `${what}: ${names}` }];
}
