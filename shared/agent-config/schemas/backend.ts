import { Type } from "#shared/generated/typebox/typebox.mjs";
import type { LlmBackend, ProviderType } from "#shared/contracts/resolved-chain.ts";

/** The backends that a file may name; a scripted provider has one of its own. */
const WRITTEN_BACKENDS = ["google-native", "langchain"] as const satisfies readonly LlmBackend[];

/** The ways in which the gateway calls a provider. */
export const Backend = Type.Enum(WRITTEN_BACKENDS);

/** The backends that serve providers of a type. */
export function backendsOf(type: ProviderType): readonly LlmBackend[] {
  if (type === "scripted") return [];
  return type === "google" ? WRITTEN_BACKENDS : ["langchain"];
}

/** The native tools that an agent switches on and a provider of this type does not have: only Gemini's own API has any. Of an unknown type nothing is known. */
export function missingNativeTools(
  type: ProviderType | undefined,
  switches: Readonly<Record<string, boolean | undefined>> = {},
): string[] {
  return type === undefined || type === "google"
    ? []
    : Object.keys(switches).filter((tool) => switches[tool] === true);
}
