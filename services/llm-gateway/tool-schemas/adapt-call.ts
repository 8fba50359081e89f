import { createHash } from "node:crypto";
import { LRUCache } from "lru-cache";
import type {
  ConversationMessage,
  GenerateRequest,
  ToolCallDelta,
  ToolDefinition,
  WarningInfo,
} from "#shared/generated/llm/v1/llm.ts";
import { adaptTools, type AdaptedTools } from "./adapt-tools.ts";
import { renameArguments } from "./rename-arguments.ts";
import { rulesForCall, type CalledApi } from "./rules-for-call.ts";
import type { ToolRules } from "./tool-rules.ts";

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
/** Of the kept lists together, in UTF-16 code units. */
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

/** The model must see its own earlier calls with the names that it was told. */
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
