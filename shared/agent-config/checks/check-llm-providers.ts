import { checkUrl, requireKey } from "#shared/agent-config/checks/check-mcp-servers.ts";
import { suggest, type Reporter } from "#shared/agent-config/reporter.ts";
import { NATIVE_TOOLS, type LlmProviderEntry } from "#shared/agent-config/schemas/llm-providers-file.ts";
import type { Loose } from "#shared/agent-config/schemas/loose.ts";

/** Checks what a written provider's keys mean for each other. */
export function checkLlmProvider(provider: Loose<LlmProviderEntry>, reporter: Reporter): void {
  const { type, native_tools: nativeTools } = provider;
  checkUrl(provider, "base_url", provider.base_url, reporter);
  if (type === undefined) return;
  if (type === "scripted") {
    requireKey(provider, "script", "is required for provider type scripted", reporter);
  } else {
    requireKey(provider, "model", "is required", reporter);
    requireKey(provider, "max_tool_result_tokens", "is required (at least 1000)", reporter);
    if (provider.script !== undefined) {
      reporter.warn({ container: provider, key: "script" }, "has an effect for provider type scripted only");
    }
  }
  if (nativeTools === undefined) return;
  if (type !== "google") {
    reporter.warn(
      { container: provider, key: "native_tools" },
      "has an effect for provider type google only",
    );
    return;
  }
  for (const name of Object.keys(nativeTools)) {
    if (NATIVE_TOOLS.some((tool) => tool === name)) continue;
    reporter.error(
      { container: nativeTools, key: name },
      "must be a known native tool",
      suggest(name, NATIVE_TOOLS),
    );
  }
}
