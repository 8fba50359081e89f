import type { ProviderType } from "#shared/contracts/resolved-chain.ts";
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

/** The rules of each type's API; a function where the call decides, null for a script, which is no API. */
const RULES: Readonly<Record<ProviderType, ToolRules | ((api: CalledApi) => ToolRules) | null>> = {
  google: GEMINI_RULES,
  vertexai: ({ model }) => (model.toLowerCase().startsWith("claude") ? ANTHROPIC_RULES : GEMINI_RULES),
  anthropic: ANTHROPIC_RULES,
  openai: ({ baseUrl }) =>
    baseUrl === "" ? OPENAI_RULES : isAzure(baseUrl) ? AZURE_RULES : COMPATIBLE_RULES,
  azure: AZURE_RULES,
  groq: COMPATIBLE_RULES,
  openrouter: COMPATIBLE_RULES,
  deepseek: COMPATIBLE_RULES,
  xai: XAI_RULES,
  mistral: CONSERVATIVE_RULES,
  bedrock: CONSERVATIVE_RULES,
  scripted: null,
};
const RULES_OF = new Map(Object.entries(RULES));

/** The rules of the API that a call reaches; undefined for a script. An unknown type gets the strictest. */
export function rulesForCall(api: CalledApi): ToolRules | undefined {
  if (api.backend === "scripted") return undefined;
  const rules = RULES_OF.get(api.provider);
  if (rules === null) return undefined;
  return typeof rules === "function" ? rules(api) : (rules ?? CONSERVATIVE_RULES);
}

function isAzure(baseUrl: string): boolean {
  return URL.parse(baseUrl)?.hostname.endsWith(".azure.com") === true;
}
