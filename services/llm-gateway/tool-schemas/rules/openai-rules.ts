import { SIZES, VALUE_KEYWORDS, type ToolRules } from "../tool-rules.ts";

/** OpenAI's chat completions and Responses API without strict mode. */
export const OPENAI_RULES: ToolRules = {
  api: "OpenAI's API",
  maxTools: 128,
  ...SIZES,
  allowsBlankDescription: true,
  maxDepth: 16,
  propertyNames: { pattern: /^[^\p{Cc}\p{Cs}]+$/u, maxLength: 256 },
  keywords: VALUE_KEYWORDS,
  tuples: "items",
  typeLists: "any",
  enums: "any",
  pythonPatterns: true,
  emptyProperties: true,
};

/** OpenAI's models on Azure. */
export const AZURE_RULES: ToolRules = { ...OPENAI_RULES, api: "Azure OpenAI", maxDescription: 1_024 };

/** Servers with OpenAI's API, which may pass a call on to any other API: also what Anthropic asks of names. */
export const COMPATIBLE_RULES: ToolRules = {
  ...OPENAI_RULES,
  api: "the OpenAI-compatible server",
  propertyNames: { pattern: /^[a-zA-Z0-9_.-]+$/u, maxLength: 64 },
};
