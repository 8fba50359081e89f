import type { LlmProviderEntry } from "#shared/agent-config/schemas/llm-providers-file.ts";
import { daysLeft, retirementOf } from "#shared/pricing/retirement-of.ts";

/** A release is in use for about as long. */
const NEEDED_DAYS = 90;

/** Why the `…-default` providers among these forbid a release on `date`: a sentence for each whose model retires within 90 days. */
export function retiringDefaults(
  providers: Iterable<readonly [string, LlmProviderEntry]>,
  date: string,
): string[] {
  return [...providers].flatMap(([name, { type, model = "", base_url }]) => {
    const retirement = name.endsWith("-default") ? retirementOf({ type, model, base_url }) : undefined;
    if (retirement === undefined) return [];
    const days = daysLeft(retirement, new Date(date));
    if (days >= NEEDED_DAYS) return [];
    const { day, successor = "another model" } = retirement;
    const when = days > 0 ? `retires on ${day}, in ${days} days` : `was retired on ${day}`;
    return [
      `the model of the built-in provider ${name}, ${model}, ${when}: give it ${successor}, at least ${NEEDED_DAYS} days are needed`,
    ];
  });
}
