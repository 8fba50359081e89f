import type { Database } from "#shared/database/database.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import type { Masker } from "#shared/masking/masker.ts";
import type { Logger } from "#shared/service/logger.ts";
import type { Destination } from "./destination.ts";
import { Outbound } from "./http/outbound.ts";
import type { NotificationMetrics } from "./notification-metrics.ts";
import type { NotificationSettings } from "./read-settings.ts";
import { sendNotifications } from "./send-notifications.ts";
import { slackChannel } from "./slack/deliver-slack.ts";
import { teamsChannel } from "./teams/deliver-teams.ts";
import { noteWriter } from "./write-back/deliver-note.ts";
import { watchOutbox } from "./watch-outbox.ts";
import { webhookReceiver } from "./webhook/deliver-webhook.ts";

interface NotifyDeps {
  readonly db: Database;
  readonly log: Logger;
  readonly metrics: NotificationMetrics;
  readonly settings: NotificationSettings;
  readonly masker: Pick<Masker, "mask">;
}

/**
 * Until `signal` aborts: sends what is due in the outbox to the destinations of the configuration, and measures what waits there.
 * Never throws. Resolves once nothing is being sent any more.
 */
export async function notify(
  { db, log, metrics, settings, masker }: NotifyDeps,
  signal: AbortSignal,
): Promise<void> {
  await using outbound = new Outbound();
  const destinations = openDestinations(settings, { db, outbound });
  await Promise.all([
    sendNotifications({ db, log, metrics, destinations, masker, pageUrl: settings.pageUrl }, signal),
    watchOutbox({ db, log, metrics, destinations: destinations.map(({ name }) => name) }, signal),
  ]);
}

/** The destinations of this configuration. */
export function openDestinations(
  { slack, webhooks, teams, writeBack }: NotificationSettings,
  deps: { readonly db: Queryable; readonly outbound: Outbound },
): readonly Destination[] {
  const receivers = [
    ...webhooks.map((receiver) => webhookReceiver(receiver, deps.outbound)),
    ...teams.map((channel) => teamsChannel(channel, deps.outbound)),
    ...writeBack.map((target) => noteWriter(target, deps)),
  ];
  return slack === undefined ? receivers : [slackChannel(slack, deps), ...receivers];
}
