import type { FunctionDeclaration, Tool } from "@google/genai";
import type { ToolDefinition } from "#shared/generated/llm/v1/llm.ts";
import { parseJsonObject } from "../../../parse-json.ts";
import { encodeToolName } from "../../../conversation/tool-names.ts";

/**
 * The bound tools as one list of function declarations, their JSON Schemas passed on as they are (a schema that is no
 * JSON object, or says nothing, is left out); without bound tools, the provider's own ones that are switched on
 * (`google_search`, `code_execution`, `url_context`), because Gemini does not mix the two.
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
    name: encodeToolName(tool.name),
    description: tool.description,
    ...(schema === undefined || Object.keys(schema).length === 0 ? {} : { parametersJsonSchema: schema }),
  };
}
