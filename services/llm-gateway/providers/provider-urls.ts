import type { ProviderType } from "#shared/contracts/resolved-chain.ts";

/** Types whose address depends on the region or the resource, or that have none. */
type WithoutOwnAddress = "vertexai" | "bedrock" | "azure" | "scripted";

/** The providers' own addresses, used without a base_url. */
export const PROVIDER_URLS = {
  google: "https://generativelanguage.googleapis.com",
  openai: "https://api.openai.com/v1",
  anthropic: "https://api.anthropic.com",
  xai: "https://api.x.ai/v1",
  mistral: "https://api.mistral.ai/v1",
  groq: "https://api.groq.com/openai/v1",
  openrouter: "https://openrouter.ai/api/v1",
  deepseek: "https://api.deepseek.com",
} as const satisfies Readonly<Record<Exclude<ProviderType, WithoutOwnAddress>, string>>;
