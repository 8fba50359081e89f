import type { ProviderType } from "#shared/contracts/resolved-chain.ts";

/** By type, as OpenTelemetry's conventions name providers; those that they do not know have our name. */
const NAMES: Readonly<Record<ProviderType, string>> = {
  google: "gcp.gemini",
  vertexai: "gcp.vertex_ai",
  openai: "openai",
  anthropic: "anthropic",
  xai: "x_ai",
  mistral: "mistral_ai",
  groq: "groq",
  openrouter: "openrouter",
  deepseek: "deepseek",
  azure: "azure.ai.openai",
  bedrock: "aws.bedrock",
  scripted: "scripted",
};
const NAME_OF = new Map<string, string>(Object.entries(NAMES));

/** The value of `gen_ai.provider.name` for a provider of this type. */
export function providerName(type: string): string {
  return NAME_OF.get(type) ?? type;
}
