import type { Loose } from "#shared/agent-config/check-shape.ts";
import type { CheckContext } from "#shared/agent-config/checks/check-context.ts";
import { WRITTEN_BACKENDS, type FallbackEntry } from "#shared/agent-config/schemas/tarsy-file.ts";

/** Every entry of a list of fallback providers must name a known provider, and a backend that serves its type. */
export function checkFallbacks(
  entries: (Loose<FallbackEntry> | undefined)[] | undefined,
  { reporter, names, llmProviders }: CheckContext,
): void {
  for (const entry of entries ?? []) {
    if (entry === undefined) continue;
    const { provider: name, backend } = entry;
    reporter.unknownName({ container: entry, key: "provider" }, "LLM provider", name, names.llmProviders);
    const type = name === undefined ? undefined : llmProviders.get(name)?.type;
    if (type === undefined || backend === undefined || backendsOf(type).includes(backend)) continue;
    const target = { container: entry, key: "backend" };
    if (backendsOf(type).length === 0) reporter.error(target, `must not be set for provider type ${type}`);
    else reporter.error(target, `must be ${backendsOf(type).join(" or ")} for provider type ${type}`);
  }
}

function backendsOf(type: string): readonly string[] {
  if (type === "scripted") return [];
  return type === "google" ? WRITTEN_BACKENDS : ["langchain"];
}
