import type { ToolDefinition } from "#shared/generated/llm/v1/llm.ts";
import { refusedAnthropicTools } from "../../../test/support/strict-providers/anthropic-tools.ts";
import { refusedGeminiTools } from "../../../test/support/strict-providers/gemini-tools.ts";
import {
  refusedChatTools,
  refusedResponsesTools,
} from "../../../test/support/strict-providers/openai-tools.ts";
import { geminiTools } from "../providers/google-native/request/gemini-tools.ts";
import { anthropicTools, functionTools } from "../providers/langchain/request/langchain-tools.ts";
import {
  ANTHROPIC_RULES,
  CONSERVATIVE_RULES,
  GEMINI_RULES,
  AZURE_RULES,
  COMPATIBLE_RULES,
  OPENAI_RULES,
  XAI_RULES,
  type ToolRules,
} from "../tool-schemas/tool-rules.ts";

type Tools = readonly ToolDefinition[];

const refusedByChat = (tools: Tools) => refusedChatTools({ tools: functionTools(tools) });
const refusedByAnthropic = (tools: Tools) => refusedAnthropicTools({ tools: anthropicTools(tools) });
const refusedByGemini = (tools: Tools) => refusedGeminiTools({ tools: geminiTools(tools, {}) });

/** An API, its rules, and why it would refuse tools in the form that the gateway sends; undefined if it accepts them. */
export const APIS: Readonly<
  Record<string, { readonly rules: ToolRules; readonly refusal: (tools: Tools) => string | undefined }>
> = {
  Gemini: { rules: GEMINI_RULES, refusal: refusedByGemini },
  "OpenAI chat": { rules: OPENAI_RULES, refusal: refusedByChat },
  "OpenAI Responses": {
    rules: OPENAI_RULES,
    refusal: (tools) =>
      refusedResponsesTools({
        tools: functionTools(tools).map((tool) => ({ type: "function", ...tool.function, strict: false })),
      }),
  },
  Azure: { rules: AZURE_RULES, refusal: refusedByChat },
  "compatible servers": {
    rules: COMPATIBLE_RULES,
    refusal: (tools) => refusedByChat(tools) ?? refusedByAnthropic(tools),
  },
  xAI: { rules: XAI_RULES, refusal: refusedByChat },
  Anthropic: { rules: ANTHROPIC_RULES, refusal: refusedByAnthropic },
  "unknown APIs": {
    rules: CONSERVATIVE_RULES,
    refusal: (tools) => refusedByChat(tools) ?? refusedByAnthropic(tools) ?? refusedByGemini(tools),
  },
};

/** A tool with this schema; text is taken as it is. */
export function toolWith(schema: unknown, rest: Partial<ToolDefinition> = {}): ToolDefinition {
  const parametersSchema = typeof schema === "string" ? schema : JSON.stringify(schema);
  return { name: "server.tool", description: "Does.", parametersSchema, ...rest };
}
