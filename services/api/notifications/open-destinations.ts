import type { Queryable } from "#shared/database/queryable.ts";
import type { Destination } from "./destination.ts";
import type { Outbound } from "./http/outbound.ts";
import type { NotificationSettings } from "./read-settings.ts";
import { slackChannel } from "./slack/deliver-slack.ts";
import { webhookReceiver } from "./webhook/deliver-webhook.ts";

/** Everyone who is told by this configuration. */
export function openDestinations(
  { slack, webhooks }: NotificationSettings,
  deps: { readonly db: Queryable; readonly outbound: Outbound },
): readonly Destination[] {
  const receivers = webhooks.map((receiver) => webhookReceiver(receiver, deps.outbound));
  return slack === undefined ? receivers : [slackChannel(slack, deps), ...receivers];
}
