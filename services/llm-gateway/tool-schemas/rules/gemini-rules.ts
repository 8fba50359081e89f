import { SIZES, type ToolRules } from "../tool-rules.ts";

/**
 * Gemini's `parametersJsonSchema`, also on Vertex AI. Limits of lengths, numbers and formats go into the description:
 * Gemini may refuse schemas with many of them for having too many states.
 */
export const GEMINI_RULES: ToolRules = {
  api: "Gemini",
  maxTools: 512,
  ...SIZES,
  allowsBlankDescription: true,
  maxDepth: 10,
  propertyNames: { pattern: /^[a-zA-Z_][a-zA-Z0-9_.-]*$/u, maxLength: 64 },
  keywords: new Set(),
  tuples: "prefixItems",
  typeLists: "nullable",
  enums: "one type",
  pythonPatterns: true,
  emptyProperties: true,
};
