import { SIZES, type ToolRules } from "../tool-rules.ts";

/**
 * For APIs whose rules are not known well, such as Amazon Bedrock's Converse and Mistral's: the strictest rule of all
 * others, so that a new provider loses no call to a schema.
 */
export const CONSERVATIVE_RULES: ToolRules = {
  api: "the provider",
  maxTools: 128,
  ...SIZES,
  maxDescription: 1_024,
  allowsBlankDescription: false,
  maxDepth: 8,
  propertyNames: { pattern: /^[a-zA-Z_][a-zA-Z0-9_]*$/u, maxLength: 64 },
  keywords: new Set(),
  tuples: "items",
  typeLists: "nullable",
  enums: "one type",
  pythonPatterns: true,
  emptyProperties: true,
};
