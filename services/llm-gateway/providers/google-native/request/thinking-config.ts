import { ThinkingLevel, type ThinkingConfig } from "@google/genai";
import { geminiVersion } from "../gemini-version.ts";

const FLASH_BUDGET = 24_576;
const PRO_BUDGET = 32_768;

/**
 * The thinking settings for a model name, thoughts included in the answer: the largest token budget for the 2.5 family
 * and unknown names, level HIGH from Gemini 3 on, and undefined for older models, which refuse the setting. A limit for the
 * answer includes thoughts, so a budget takes at most half of it.
 */
export function thinkingConfig(model: string, maxOutputTokens = Infinity): ThinkingConfig | undefined {
  const version = geminiVersion(model);
  if (version !== undefined && version < 2.5) return undefined;
  if (version !== undefined && version >= 3) {
    return { includeThoughts: true, thinkingLevel: ThinkingLevel.HIGH };
  }
  const budget = model.toLowerCase().includes("gemini-2.5-pro") ? PRO_BUDGET : FLASH_BUDGET;
  return { includeThoughts: true, thinkingBudget: Math.min(budget, Math.floor(maxOutputTokens / 2)) };
}
