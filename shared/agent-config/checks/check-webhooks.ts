import type { Loose } from "#shared/agent-config/check-shape.ts";
import { compileMatcher } from "#shared/agent-config/label-matcher.ts";
import type { Reporter } from "#shared/agent-config/reporter.ts";
import type { Webhooks } from "#shared/agent-config/schemas/webhooks.ts";

/** Reports alert types of webhooks that no chain handles, and matchers that are none. */
export function checkWebhooks(
  webhooks: Loose<Webhooks>,
  alertTypes: Iterable<string>,
  reporter: Reporter,
): void {
  const known = [...alertTypes];
  for (const source of Object.values(webhooks)) {
    if (source === undefined) continue;
    reporter.unknownName({ container: source, key: "alert_type" }, "alert type", source.alert_type, known);
    for (const rule of source.alert_types ?? []) {
      if (rule === undefined) continue;
      reporter.unknownName({ container: rule, key: "alert_type" }, "alert type", rule.alert_type, known);
    }
    for (const rule of [...(source.alert_types ?? []), ...(source.priorities ?? [])]) {
      if (rule === undefined) continue;
      (rule.match ?? []).forEach((text, index) => {
        const compiled = text === undefined ? "" : compileMatcher(text);
        if (typeof compiled !== "string" || compiled === "" || rule.match === undefined) return;
        reporter.error({ container: rule.match, key: index }, compiled);
      });
    }
  }
}
