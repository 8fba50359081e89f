import type { Loose } from "#shared/agent-config/check-shape.ts";
import { dashboardOrigin } from "#shared/agent-config/dashboard-origin.ts";
import type { Reporter } from "#shared/agent-config/reporter.ts";
import type { SystemSection } from "#shared/agent-config/schemas/system-section.ts";

/** The history of a channel is asked for by its id, never by its name. */
const CHANNEL_ID = /^[CGD][A-Z0-9]+$/u;

/** Reports a channel and addresses that no message can be sent to, and messages whose links lead nowhere. */
export function checkNotifications(system: Loose<SystemSection>, reporter: Reporter): void {
  const { slack, notifications } = system;
  if (slack?.enabled === true) {
    const where = { container: slack, key: "channel" };
    if (slack.channel === undefined && !("channel" in slack)) {
      reporter.error({ container: slack, path: "system.slack.channel" }, "is needed where Slack is enabled");
    } else if (slack.channel !== undefined && !CHANNEL_ID.test(slack.channel)) {
      reporter.error(
        where,
        "must be the id of a channel, such as C0123456789",
        "Slack shows it in the channel's details",
      );
    }
  }
  const names = new Set<string>();
  for (const webhook of notifications?.webhooks ?? []) {
    if (webhook === undefined) continue;
    const { name, url } = webhook;
    if (name !== undefined && names.has(name)) {
      reporter.error({ container: webhook, key: "name" }, "must be another name than those before");
    }
    if (name !== undefined) names.add(name);
    const problem = url === undefined ? undefined : addressProblem(url);
    // An address may hold a password.
    if (problem !== undefined) reporter.error({ container: webhook, key: "url", secret: true }, problem);
  }
  const isTold = slack?.enabled === true || names.size > 0;
  if (isTold && dashboardOrigin({ dashboard_url: system.dashboard_url }) === undefined) {
    const hint = "give the address of the page";
    const target = { container: system, path: "system.dashboard_url" };
    reporter.warn(target, "is not set, so the links of notifications lead to this machine only", hint);
  }
}

function addressProblem(text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/u.test(url.protocol)) {
    return "must be an address that begins with https:// or http://";
  }
  if (url.username !== "" || url.password !== "") return "must have no user name and no password";
  return undefined;
}
