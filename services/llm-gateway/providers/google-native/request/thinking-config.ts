import { ThinkingLevel, type ThinkingConfig } from "@google/genai";
import { geminiVersion } from "../gemini-version.ts";

const FLASH_BUDGET = 24_576;
const PRO_BUDGET = 32_768;

/**
 * The thinking settings for a model name, thoughts included in the answer: the largest token budget for the 2.5 family
 * and unknown names, level HIGH from Gemini 3 on, and undefined for older models, which refuse the setting.
 */
export function thinkingConfig(model: string): ThinkingConfig | undefined {
  const version = geminiVersion(model);
  if (version !== undefined && version < 2.5) return undefined;
  if (version !== undefined && version >= 3) {
    return { includeThoughts: true, thinkingLevel: ThinkingLevel.HIGH };
  }
  return {
    includeThoughts: true,
    thinkingBudget: model.toLowerCase().includes("gemini-2.5-pro") ? PRO_BUDGET : FLASH_BUDGET,
  };
}
