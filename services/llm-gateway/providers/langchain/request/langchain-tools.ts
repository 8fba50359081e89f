import type { ToolDefinition } from "#shared/generated/llm/v1/llm.ts";
import type { Conversation } from "../../../conversation/normalise-conversation.ts";
import { toolAlias } from "#shared/contracts/tool-names.ts";
import { parseJsonObject } from "../../../parse-json.ts";

/** A bound tool in OpenAI's form. */
interface FunctionTool {
  readonly type: "function";
  readonly function: {
    readonly name: string;
    readonly description: string;
    readonly parameters: Record<string, unknown>;
  };
}

/** A bound tool in Anthropic's form. */
interface AnthropicTool {
  readonly name: string;
  readonly description: string;
  readonly input_schema: { readonly type: "object"; readonly [key: string]: unknown };
}

/** The bound tools in OpenAI's form. */
export function functionTools(tools: readonly ToolDefinition[]): FunctionTool[] {
  return tools.map((tool) => ({
    type: "function",
    function: {
      name: toolAlias(tool.name),
      description: tool.description,
      parameters: argumentsSchema(tool),
    },
  }));
}

/** The bound tools in Anthropic's form. */
export function anthropicTools(tools: readonly ToolDefinition[]): AnthropicTool[] {
  return tools.map((tool) => ({
    name: toolAlias(tool.name),
    description: tool.description,
    input_schema: { ...argumentsSchema(tool), type: "object" },
  }));
}

/**
 * Placeholders for the tools that a conversation has used, for a call that binds none: Anthropic refuses tool calls and
 * results in a request without tools.
 */
export function placeholderTools({ messages }: Conversation): AnthropicTool[] {
  const names = new Set(messages.flatMap(({ toolCalls }) => toolCalls.map(({ name }) => toolAlias(name))));
  return [...names].map((name) => ({
    name,
    description: "No longer available.",
    input_schema: { type: "object" },
  }));
}

/** The tool's schema, which was adapted to the API before (tool-schemas/). */
function argumentsSchema(tool: ToolDefinition): Record<string, unknown> {
  return { type: "object", properties: {}, ...parseJsonObject(tool.parametersSchema) };
}
