import type { Loose } from "#shared/agent-config/check-shape.ts";
import type { CheckContext } from "#shared/agent-config/checks/check-context.ts";
import type { Target } from "#shared/agent-config/reporter.ts";
import { backendsOf } from "#shared/agent-config/schemas/backend.ts";
import type { FallbackEntry } from "#shared/agent-config/schemas/tarsy-file.ts";

/** Every entry of a list of fallback providers must name a known provider, and a backend that serves its type. */
export function checkFallbacks(
  entries: (Loose<FallbackEntry> | undefined)[] | undefined,
  context: CheckContext,
): void {
  for (const entry of entries ?? []) {
    if (entry === undefined) continue;
    const provider = { container: entry, key: "provider" };
    context.reporter.unknownName(provider, "LLM provider", entry.provider, context.names.llmProviders);
    checkBackend({ container: entry, key: "backend" }, entry.provider, entry.backend, context);
  }
}

/** An error for a backend that does not serve the provider it is named with. */
export function checkBackend(
  target: Target,
  provider: string | undefined,
  backend: string | undefined,
  { reporter, llmProviders }: CheckContext,
): void {
  const type = provider === undefined ? undefined : llmProviders.get(provider)?.type;
  if (type === undefined || backend === undefined) return;
  if (backendsOf(type).some((served) => served === backend)) return;
  if (backendsOf(type).length === 0) reporter.error(target, `must not be set for provider type ${type}`);
  else reporter.error(target, `must be ${backendsOf(type).join(" or ")} for provider type ${type}`);
}
