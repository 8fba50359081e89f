import { SIZES, VALUE_KEYWORDS, type ToolRules } from "../tool-rules.ts";

/** Anthropic's Messages API, also on Vertex AI: draft 2020-12 without alternatives at the root. */
export const ANTHROPIC_RULES: ToolRules = {
  api: "Anthropic",
  maxTools: 1_000,
  ...SIZES,
  allowsBlankDescription: true,
  maxDepth: 16,
  propertyNames: { pattern: /^[a-zA-Z0-9_.-]+$/u, maxLength: 64 },
  keywords: new Set([...VALUE_KEYWORDS, "dependentRequired"]),
  tuples: "prefixItems",
  typeLists: "any",
  enums: "any",
  pythonPatterns: true,
  emptyProperties: true,
};
