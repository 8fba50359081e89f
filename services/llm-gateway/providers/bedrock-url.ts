import { terminal } from "../errors/llm-error.ts";
import type { ProviderConfig } from "./provider-config.ts";

/** Bedrock's address in a region, without a trailing slash. */
export function bedrockUrl(region: string): string {
  const suffix = region.startsWith("cn-") ? "amazonaws.com.cn" : "amazonaws.com";
  return `https://bedrock-runtime.${region}.${suffix}`;
}

/** The region of a provider's settings. Throws TerminalError `invalid_request` if it is none: it becomes part of the URL. */
export function bedrockRegion({ settings, location }: Pick<ProviderConfig, "settings" | "location">): string {
  const region = settings.region ?? location;
  if (!/^[a-z\d-]+$/u.test(region)) {
    throw terminal("invalid_request", "the provider has no usable region: set region to one like us-east-1");
  }
  return region;
}
