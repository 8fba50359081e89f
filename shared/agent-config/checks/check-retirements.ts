import type { CheckContext } from "#shared/agent-config/checks/check-context.ts";
import { subAgentEntries } from "#shared/agent-config/checks/configured-agents.ts";
import type { Target } from "#shared/agent-config/reporter.ts";
import { retirementNotice } from "#shared/pricing/retirement-of.ts";

/**
 * Warns of each named provider whose model retires within 60 days or has retired: where its entry writes the model, else where a built-in
 * one is named first. `used` has the providers that chains need; chats, sub-agents and the defaults may name more.
 */
export function checkRetirements(
  used: ReadonlyMap<string, { readonly reference: Target }>,
  context: CheckContext,
): void {
  const references = new Map([...used].map(([name, { reference }]) => [name, reference]));
  const { chains, tarsy, llmProviders, reporter, now } = context;
  const others = [...chains.values()].flatMap((chain) => [
    ...(chain.chat?.enabled === false ? [] : [chain.chat]),
    ...subAgentEntries(chain),
  ]);
  for (const container of [tarsy.defaults, ...others]) {
    const name = container?.llm_provider;
    if (container === undefined || name === undefined || references.has(name)) continue;
    references.set(name, { container, key: "llm_provider" });
  }
  for (const [name, reference] of references) {
    const entry = llmProviders.get(name);
    if (entry?.type === undefined || entry.model === undefined) continue;
    const { type, model, base_url } = entry;
    const notice = retirementNotice({ type, model, base_url }, now);
    if (notice === undefined) continue;
    const { says, successor = "another model" } = notice;
    if (reporter.sources.has(entry)) {
      reporter.warn({ container: entry, key: "model" }, says, `write ${successor}`);
    } else {
      const hint = `name another provider, or write an entry ${name} with ${successor} into llm-providers.yaml`;
      reporter.warn(reference, `has the model ${model}, which ${says}`, hint);
    }
  }
}
