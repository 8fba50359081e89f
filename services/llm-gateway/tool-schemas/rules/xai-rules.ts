import type { ToolRules } from "../tool-rules.ts";
import { OPENAI_RULES } from "./openai-rules.ts";

/** xAI documents no rules of its own for schemas, and its API is OpenAI's. */
export const XAI_RULES: ToolRules = { ...OPENAI_RULES, api: "xAI" };
