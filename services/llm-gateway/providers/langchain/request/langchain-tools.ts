import type { ToolDefinition } from "#shared/generated/llm/v1/llm.ts";
import type { Conversation } from "../../../conversation/normalise-conversation.ts";
import { encodeToolName } from "../../../conversation/tool-names.ts";
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

/** The bound tools in OpenAI's form, with their JSON Schemas unchanged. */
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
 * The bound tools in Anthropic's form. Anthropic refuses oneOf, anyOf and allOf at the top of a schema, and LangChain
 * drops such a tool; here they move into the description.
 */
export function anthropicTools(tools: readonly ToolDefinition[]): AnthropicTool[] {
  return tools.map((tool) => {
    const entries = Object.entries(argumentsSchema(tool));
    const choices = entries.filter(([key]) => COMPOSITIONS.has(key));
    const withChoices = `${tool.description}\n\nThe arguments must also match ${JSON.stringify(Object.fromEntries(choices))}`;
    return {
      name: encodeToolName(tool.name),
      description: choices.length === 0 ? tool.description : withChoices.trim(),
      input_schema: {
        ...Object.fromEntries(entries.filter(([key]) => !COMPOSITIONS.has(key))),
        type: "object",
      },
    };
  });
}

/**
 * Placeholders for the tools that a conversation has used, for a call that binds none: Anthropic refuses tool calls and
 * results in a request without tools.
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

/** The tool's schema; an empty or invalid one becomes a schema that allows any arguments. */
function argumentsSchema(tool: ToolDefinition): Record<string, unknown> {
  return { type: "object", properties: {}, ...parseJsonObject(tool.parametersSchema) };
}
