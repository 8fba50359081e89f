import { bedrockUrl } from "./bedrock-url.ts";
import { PROVIDER_URLS } from "./provider-urls.ts";
import { vertexUrl } from "./vertex/vertex-url.ts";
import type { ProviderConfig } from "./provider-config.ts";

/** What a call goes to, for people: e.g. "gpt-4o at http://llm:8000 (openai)". */
export function providerTarget(config: ProviderConfig): string {
  const address = providerAddress(config);
  return `${config.model}${address === "" ? "" : ` at ${address}`} (${config.provider})`;
}

/**
 * Scheme, host and port that a call goes to: those of base_url, else of the provider's own address. Empty for a script, an
 * unknown provider and an invalid base_url. The rest of a base_url is left out, because it may contain a key.
 */
export function providerAddress({
  provider,
  baseUrl,
  location,
  settings,
}: Pick<ProviderConfig, "provider" | "baseUrl" | "location" | "settings">): string {
  const known = Object.entries(PROVIDER_URLS).find(([name]) => name === provider)?.[1];
  const ofPlace: Readonly<Record<string, string>> = {
    vertexai: vertexUrl(location),
    bedrock: bedrockUrl(settings.region ?? location),
    azure: "",
  };
  const fallback = ofPlace[provider] ?? known;
  const url = fallback === undefined ? null : URL.parse(baseUrl === "" ? fallback : baseUrl);
  return url === null || url.host === "" ? "" : `${url.protocol}//${url.host}`;
}
