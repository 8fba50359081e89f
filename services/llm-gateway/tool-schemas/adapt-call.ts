import { createHash } from "node:crypto";
import { LRUCache } from "lru-cache";
import type {
  ConversationMessage,
  GenerateRequest,
  ToolCallDelta,
  ToolDefinition,
  WarningInfo,
} from "#shared/generated/llm/v1/llm.ts";
import { TOOLS_LEFT_OUT, TOOL_SCHEMAS_SHORTENED } from "#shared/contracts/llm-error-codes.ts";
import { toolAlias } from "#shared/contracts/tool-names.ts";
import { renameArguments } from "./argument-names.ts";
import { rulesForCall, type CalledApi, type ToolRules } from "./tool-rules.ts";
import { adaptTool, type AdaptedTool } from "./adapt-tool.ts";

/** A call in a form that its API accepts, and the way back. */
interface AdaptedCall {
  readonly request: GenerateRequest;
  readonly warnings: readonly WarningInfo[];
  /** A call of a tool by the model, with the tool's own names of arguments. */
  readonly restore: (call: ToolCallDelta) => ToolCallDelta;
}

export type AdaptCall = (request: GenerateRequest, api: CalledApi) => AdaptedCall;

/** Lists of tools that are kept: an agent sends the same one with each of its calls. */
const MAX_LISTS = 128;
/** The length of the kept lists together, in UTF-16 code units. */
const MAX_KEPT_LENGTH = 16 * 1024 * 1024;

/**
 * Adapts calls: their tools to the rules of their API, and the arguments of earlier tool calls to the names that the API
 * knows. The result for a list of tools is kept for the next call.
 */
export function callAdapter(): AdaptCall {
  const kept = new LRUCache<string, AdaptedTools>({
    max: MAX_LISTS,
    maxSize: MAX_KEPT_LENGTH,
    sizeCalculation: ({ tools }) =>
      [...tools.values()].reduce(
        (sum, { definition }) => sum + definition.parametersSchema.length + 1_000,
        1,
      ),
  });
  const adapt = (definitions: readonly ToolDefinition[], rules: ToolRules) => {
    const key = keyOf(definitions, rules);
    const known = kept.get(key);
    if (known !== undefined) return known;
    const adapted = adaptTools(definitions, rules);
    kept.set(key, adapted);
    return adapted;
  };
  return (request, api) => {
    const rules = rulesForCall(api);
    if (rules === undefined || request.tools.length === 0) {
      return { request, warnings: [], restore: (call) => call };
    }
    const { tools, warnings } = adapt(request.tools, rules);
    const isRenamed = [...tools.values()].some(({ toApi }) => toApi !== undefined);
    return {
      request: {
        ...request,
        tools: [...tools.values()].map(({ definition }) => definition),
        messages: isRenamed
          ? request.messages.map((message) => withApiNames(message, tools))
          : request.messages,
      },
      warnings,
      restore: (call) => {
        const names = tools.get(call.name)?.toTool;
        return names === undefined ? call : { ...call, arguments: renameArguments(call.arguments, names) };
      },
    };
  };
}

/** The model must see its own earlier calls with the names that it got. */
function withApiNames(message: ConversationMessage, tools: AdaptedTools["tools"]): ConversationMessage {
  if (!message.toolCalls.some(({ name }) => tools.get(name)?.toApi !== undefined)) return message;
  const toolCalls = message.toolCalls.map((call) => ({
    ...call,
    arguments: renameArguments(call.arguments, tools.get(call.name)?.toApi),
  }));
  return { ...message, toolCalls };
}

function keyOf(definitions: readonly ToolDefinition[], { api }: ToolRules): string {
  const hash = createHash("sha256").update(api);
  for (const { name, description, parametersSchema } of definitions) {
    for (const text of [name, description, parametersSchema]) hash.update(`${text.length}:`).update(text);
  }
  return hash.digest("base64");
}

/** The tools of a call in a form that its API accepts. */
interface AdaptedTools {
  /** Keyed by the tool's own name, in the order of the call. */
  readonly tools: ReadonlyMap<string, AdaptedTool>;
  /** About tools that are left out, and schemas that lost more than an API's form costs. */
  readonly warnings: readonly WarningInfo[];
}

/** The number of tools that a warning names. */
const MAX_NAMED = 20;
/** A schema below this length says too little to shorten it further. */
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
