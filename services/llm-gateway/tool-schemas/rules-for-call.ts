import { ANTHROPIC_RULES } from "./rules/anthropic-rules.ts";
import { CONSERVATIVE_RULES } from "./rules/conservative-rules.ts";
import { GEMINI_RULES } from "./rules/gemini-rules.ts";
import { AZURE_RULES, COMPATIBLE_RULES, OPENAI_RULES } from "./rules/openai-rules.ts";
import { XAI_RULES } from "./rules/xai-rules.ts";
import type { ToolRules } from "./tool-rules.ts";

/** What decides which API a call reaches. */
export interface CalledApi {
  /** The provider's type. */
  readonly provider: string;
  readonly backend: string;
  readonly model: string;
  readonly baseUrl: string;
}

/**
 * The rules of the API that a call reaches; undefined for a script, which is no API. A type without rules of its own, such as
 * `mistral` and `bedrock`, gets the strictest.
 */
export function rulesForCall({ provider, backend, model, baseUrl }: CalledApi): ToolRules | undefined {
  if (provider === "scripted" || backend === "scripted") return undefined;
  switch (provider) {
    case "google":
      return GEMINI_RULES;
    case "vertexai":
      return model.toLowerCase().startsWith("claude") ? ANTHROPIC_RULES : GEMINI_RULES;
    case "anthropic":
      return ANTHROPIC_RULES;
    case "openai":
      return baseUrl === "" ? OPENAI_RULES : isAzure(baseUrl) ? AZURE_RULES : COMPATIBLE_RULES;
    case "azure":
      return AZURE_RULES;
    case "groq":
    case "openrouter":
    case "deepseek":
      return COMPATIBLE_RULES;
    case "xai":
      return XAI_RULES;
    default:
      return CONSERVATIVE_RULES;
  }
}

function isAzure(baseUrl: string): boolean {
  return URL.parse(baseUrl)?.hostname.endsWith(".azure.com") === true;
}
