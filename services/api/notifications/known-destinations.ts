import { createHash } from "node:crypto";
import { SLACK, teamsDestination, webhookDestination, writeBackDestination } from "./notify-plans.ts";
import type { NotificationSettings } from "./read-settings.ts";

/** Names a webhook's URL without showing it: the path may be a secret. */
export function addressOf(url: URL): string {
  return createHash("sha256").update(url.href).digest("hex");
}

/** The destinations of a configuration, with what names their addresses. */
export function knownDestinations({
  slack,
  webhooks,
  teams,
  writeBack,
}: NotificationSettings): ReadonlyMap<string, string> {
  return new Map([
    ...(slack === undefined ? [] : [[SLACK, slack.channel] as const]),
    ...webhooks.map(({ name, url }) => [webhookDestination(name), addressOf(url)] as const),
    ...teams.map(({ name, url }) => [teamsDestination(name), addressOf(url)] as const),
    ...writeBack.map(({ name, url }) => [writeBackDestination(name), addressOf(url)] as const),
  ]);
}
