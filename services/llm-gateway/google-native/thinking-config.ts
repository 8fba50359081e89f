import { ThinkingLevel, type ThinkingConfig } from "@google/genai";

const FLASH_BUDGET = 24_576;
const PRO_BUDGET = 32_768;

/**
 * How much a model may think, by its name, always with its thoughts in the answer: the largest budget in tokens for
 * the 2.5 family and unknown names, the level HIGH from Gemini 3 on, nothing for the older ones, which refuse the setting.
 */
export function thinkingConfig(model: string): ThinkingConfig | undefined {
  const name = model.toLowerCase();
  const version = /gemini-(?<number>\d+(?:\.\d+)?)/u.exec(name)?.groups?.["number"];
  if (version !== undefined && Number(version) < 2.5) return undefined;
  if (version !== undefined && Number(version) >= 3) {
    return { includeThoughts: true, thinkingLevel: ThinkingLevel.HIGH };
  }
  return {
    includeThoughts: true,
    thinkingBudget: name.includes("gemini-2.5-pro") ? PRO_BUDGET : FLASH_BUDGET,
  };
}
