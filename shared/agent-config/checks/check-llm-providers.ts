import type { Loose } from "#shared/agent-config/check-shape.ts";
import { checkUrl, requireKey } from "#shared/agent-config/checks/check-keys.ts";
import { checkTypeSettings } from "#shared/agent-config/checks/check-type-settings.ts";
import type { Reporter } from "#shared/agent-config/reporter.ts";
import { parseDuration } from "#shared/agent-config/parse-duration.ts";
import { NATIVE_TOOLS, type LlmProviderEntry } from "#shared/agent-config/schemas/llm-providers-file.ts";
import { suggestName } from "#shared/agent-config/suggest-name.ts";

/** Checks the keys of a written provider against each other. */
export function checkLlmProvider(provider: Loose<LlmProviderEntry>, reporter: Reporter): void {
  const { type, native_tools: nativeTools } = provider;
  checkUrl(provider, "base_url", provider.base_url, reporter);
  if (provider.timeouts !== undefined) checkSilence(provider.timeouts, reporter);
  if (type === undefined) return;
  checkTypeSettings(provider, type, reporter);
  if (type === "scripted") {
    requireKey(provider, "script", "is required for provider type scripted", reporter);
  } else {
    requireKey(provider, "model", "is required", reporter);
    if (provider.script !== undefined) {
      reporter.warn({ container: provider, key: "script" }, "has an effect for provider type scripted only");
    }
  }
  if (nativeTools === undefined) return;
  if (type !== "google") {
    const target = { container: provider, key: "native_tools" };
    reporter.warn(target, "has an effect for provider type google only");
    return;
  }
  for (const name of Object.keys(nativeTools)) {
    if (NATIVE_TOOLS.some((tool) => tool === name)) continue;
    const target = { container: nativeTools, key: name };
    reporter.error(target, "must be a known native tool", suggestName(name, NATIVE_TOOLS));
  }
}

/** A limit of silence that is longer than the call could never end one. */
function checkSilence(timeouts: Loose<NonNullable<LlmProviderEntry["timeouts"]>>, reporter: Reporter): void {
  const { call } = timeouts;
  const callMs = call === undefined ? undefined : parseDuration(call);
  if (callMs === undefined) return;
  for (const key of ["first_chunk", "stall"] as const) {
    const limit = timeouts[key];
    const limitMs = limit === undefined ? undefined : parseDuration(limit);
    if (limitMs === undefined || limitMs <= callMs) continue;
    reporter.error({ container: timeouts, key }, `must not be longer than call (${call}), which ends first`);
  }
}
