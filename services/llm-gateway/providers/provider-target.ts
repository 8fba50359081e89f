import { safeCut } from "#shared/safe-cut.ts";
import { bedrockUrl } from "./bedrock-url.ts";
import { PROVIDER_URLS } from "./provider-urls.ts";
import { vertexUrl } from "./vertex/vertex-url.ts";
import type { ProviderConfig } from "./provider-config.ts";

/** Names come from the configuration and from the call. */
const MAX_NAME_LENGTH = 100;

/** What a call goes to, for people: the configuration's entry, model and server, e.g. "local (qwen3:32b at http://llm:8000)". */
export function providerTarget(config: ProviderConfig): string {
  const address = providerAddress(config);
  return `${bounded(config.name)} (${bounded(config.model)}${address === "" ? "" : ` at ${address}`})`;
}

function bounded(name: string): string {
  return name.slice(0, safeCut(name, MAX_NAME_LENGTH));
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
