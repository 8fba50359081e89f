import type { ToolDefinition } from "#shared/generated/llm/v1/llm.ts";
import { parseJsonObject } from "../../../parse-json.ts";
import { encodeToolName } from "../../../conversation/tool-names.ts";
import type { Conversation } from "../../../conversation/normalise-conversation.ts";

/** A bound tool in OpenAI's form, which LangChain's models all take. */
export interface FunctionTool {
  readonly type: "function";
  readonly function: {
    readonly name: string;
    readonly description: string;
    readonly parameters: Record<string, unknown>;
  };
}

/** A bound tool in Anthropic's form. */
export interface AnthropicTool {
  readonly name: string;
  readonly description: string;
  readonly input_schema: { readonly type: "object"; readonly [key: string]: unknown };
}

/** The bound tools for OpenAI and its likes, their JSON Schemas passed on as they are. */
export function functionTools(tools: readonly ToolDefinition[]): FunctionTool[] {
  return tools.map((tool) => ({
    type: "function",
    function: {
      name: encodeToolName(tool.name),
      description: tool.description,
      parameters: argumentsSchema(tool),
    },
  }));
}

const COMPOSITIONS = new Set(["oneOf", "anyOf", "allOf"]);

/**
 * The bound tools for Anthropic. A schema that is a choice at its top, which Anthropic refuses (and LangChain leaves
 * out with its tool), is told in the description instead.
 */
export function anthropicTools(tools: readonly ToolDefinition[]): AnthropicTool[] {
  return tools.map((tool) => {
    const entries = Object.entries(argumentsSchema(tool));
    const choices = entries.filter(([key]) => COMPOSITIONS.has(key));
    const told = `${tool.description}\n\nThe arguments must also match ${JSON.stringify(Object.fromEntries(choices))}`;
    return {
      name: encodeToolName(tool.name),
      description: choices.length === 0 ? tool.description : told.trim(),
      input_schema: {
        ...Object.fromEntries(entries.filter(([key]) => !COMPOSITIONS.has(key))),
        type: "object",
      },
    };
  });
}

/**
 * Stand-ins for the tools a conversation has used, for a call that binds none: Anthropic refuses calls and results in
 * a conversation without tools.
 */
export function placeholderTools({ messages }: Conversation): AnthropicTool[] {
  const names = new Set(
    messages.flatMap(({ toolCalls }) => toolCalls.map(({ name }) => encodeToolName(name))),
  );
  return [...names].map((name) => ({
    name,
    description: "No longer available.",
    input_schema: { type: "object" },
  }));
}

/** A schema that is no JSON object, or says nothing, becomes one that allows any arguments. */
function argumentsSchema(tool: ToolDefinition): Record<string, unknown> {
  return { type: "object", properties: {}, ...parseJsonObject(tool.parametersSchema) };
}
