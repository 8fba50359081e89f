import type { ProviderType } from "#shared/contracts/resolved-chain.ts";

/** By type, as OpenTelemetry's conventions name providers; those that they do not know have our name. */
const NAMES = new Map<string, string>([
  ["google", "gcp.gemini"],
  ["vertexai", "gcp.vertex_ai"],
  ["openai", "openai"],
  ["anthropic", "anthropic"],
  ["xai", "x_ai"],
  ["mistral", "mistral_ai"],
  ["groq", "groq"],
  ["deepseek", "deepseek"],
  ["azure", "azure.ai.openai"],
  ["bedrock", "aws.bedrock"],
] satisfies [ProviderType, string][]);

/** The value of `gen_ai.provider.name` for a provider of this type. */
export function providerName(type: string): string {
  return NAMES.get(type) ?? type;
}
