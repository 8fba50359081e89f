import type { FunctionDeclaration, Tool } from "@google/genai";
import type { ToolDefinition } from "#shared/generated/llm/v1/llm.ts";
import { toolAlias } from "#shared/contracts/tool-names.ts";
import { parseJsonObject } from "../../../parse-json.ts";

/**
 * The bound tools as function declarations, with their JSON Schemas; an empty or invalid one is omitted.
 * Without bound tools, the enabled native tools (`google_search`, `code_execution`, `url_context`): Gemini does not
 * allow both in one request.
 */
export function geminiTools(
  tools: readonly ToolDefinition[],
  nativeTools: Readonly<Record<string, boolean>>,
): Tool[] {
  if (tools.length > 0) return [{ functionDeclarations: tools.map(declaration) }];
  const native: Tool[] = [];
  if (nativeTools["google_search"] === true) native.push({ googleSearch: {} });
  if (nativeTools["code_execution"] === true) native.push({ codeExecution: {} });
  if (nativeTools["url_context"] === true) native.push({ urlContext: {} });
  return native;
}

function declaration(tool: ToolDefinition): FunctionDeclaration {
  const schema = parseJsonObject(tool.parametersSchema);
  return {
    name: toolAlias(tool.name),
    description: tool.description,
    ...(schema === undefined || Object.keys(schema).length === 0 ? {} : { parametersJsonSchema: schema }),
  };
}
