import { dashboardOrigin } from "#shared/agent-config/dashboard-origin.ts";
import { parseInstant } from "#shared/contracts/parse-instant.ts";
import type { Loose } from "#shared/agent-config/check-shape.ts";
import type { Reporter } from "#shared/agent-config/reporter.ts";
import type { SystemSection } from "#shared/agent-config/schemas/system-section.ts";

/** Keys that variables of the services, or their own ways, replace. */
const REPLACED = {
  allowed_ws_origins: "ALLOWED_ORIGINS, and for WebSockets alone WS_ALLOWED_ORIGINS, replace it",
} as const;
const REPLACED_RETENTION = {
  event_ttl: "the api's PURGE_EVENTS_AFTER_DAYS replaces it",
  cleanup_interval: "the api's sweeper looks for expired sessions by itself",
} as const;

/** Checks the days of `system.holidays`, and warns of the keys that are valid and never have an effect. */
export function checkSystem(system: Loose<SystemSection>, reporter: Reporter): void {
  warn(system, REPLACED, reporter);
  const { dashboard_url } = system;
  if (typeof dashboard_url === "string" && dashboardOrigin({ dashboard_url }) === undefined) {
    const where = { container: system, key: "dashboard_url" };
    reporter.warn(where, "is no web address and has no effect", "give one such as https://tarsy.example.com");
  }
  for (const holiday of system.holidays ?? []) {
    if (holiday?.date === undefined || isDay(holiday.date)) continue;
    const where = { container: holiday, key: "date" };
    reporter.error(where, "must be a day of the calendar", "write it like 12-25, or 2026-12-25 for one year");
  }
  if (system.retention !== undefined) warn(system.retention, REPLACED_RETENTION, reporter);
}

/** The 29th of February is a day of every year. */
function isDay(text: string): boolean {
  return parseInstant(`${/^\d{2}-/u.test(text) ? `2024-${text}` : text}T00:00:00Z`) !== undefined;
}

function warn(container: object, replaced: Readonly<Record<string, string>>, reporter: Reporter): void {
  for (const [key, replacement] of Object.entries(replaced)) {
    if (!Object.hasOwn(container, key)) continue;
    reporter.warn({ container, key }, "is valid but has no effect", replacement);
  }
}
