import { ThinkingLevel, type ThinkingConfig } from "@google/genai";
import { geminiVersion } from "../gemini-version.ts";

const FLASH_BUDGET = 24_576;
const PRO_BUDGET = 32_768;

/**
 * How much a model may think, by its name, always with its thoughts in the answer: the largest budget in tokens for
 * the 2.5 family and unknown names, the level HIGH from Gemini 3 on, nothing for the older ones, which refuse the setting.
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
