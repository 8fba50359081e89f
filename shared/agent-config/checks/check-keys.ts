import { isTemplate } from "#shared/contracts/text-template.ts";
import type { Reporter, Target } from "#shared/agent-config/reporter.ts";

/** An error if a required key is not written; a key with an invalid value has been reported already. */
export function requireKey(container: object, key: string, rule: string, reporter: Reporter): void {
  if (!reporter.sources.hasChild(container, key)) reporter.error({ container, key }, rule);
}

/** An error if the value is set but no URL that an HTTP client can use. */
export function checkUrl(container: object, key: string, url: string | undefined, reporter: Reporter): void {
  if (url === undefined || isTemplate(url)) return; // a template is checked where its values are inserted
  const parsed = URL.parse(url);
  if (parsed?.protocol === "http:" || parsed?.protocol === "https:") return;
  reporter.error({ container, key }, "must be an http or https URL");
}

/** A warning for a key that is part of the format and not implemented yet. */
export function warnNoEffectYet(target: Target, reason: string, reporter: Reporter): void {
  reporter.warn(target, "has no effect yet", reason);
}
