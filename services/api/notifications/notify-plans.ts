import type { NotificationKind, NotifyPlan } from "#shared/contracts/webhook-message.ts";
import type { NotificationSettings } from "./read-settings.ts";

/** The name of Slack in rows, metrics and logs. */
export const SLACK = "slack";

/** The name of a webhook's receiver there. */
export function webhookDestination(name: string): string {
  return `webhook:${name}`;
}

/** The name of a channel of Teams there. */
export function teamsDestination(name: string): string {
  return `teams:${name}`;
}

/** The name there of a system in which notes are written. */
export function writeBackDestination(name: string): string {
  return `note:${name}`;
}

const SLACK_KINDS: readonly NotificationKind[] = [
  "session.ended",
  "approval.requested",
  "budget.soft_limit",
  "budget.exceeded",
];

/**
 * What is stored with new sessions, as JSON text, null if nobody is told: `fromSlack` with those that answer a message in Slack, which
 * alone are announced there when they start; `usual` with all others.
 */
export function notifyPlans({ slack, webhooks, teams, writeBack }: NotificationSettings): {
  readonly usual: string | null;
  readonly fromSlack: string | null;
} {
  const plan = (slackKinds: readonly NotificationKind[]): string | null => {
    const entries: [string, readonly NotificationKind[]][] = webhooks.map(({ name, events }) => [
      webhookDestination(name),
      events,
    ]);
    for (const { name, events } of teams) entries.push([teamsDestination(name), events]);
    for (const { name } of writeBack) entries.push([writeBackDestination(name), ["session.ended"]]);
    if (slack !== undefined) entries.push([SLACK, slackKinds]);
    if (entries.length === 0) return null;
    const all: NotifyPlan = Object.fromEntries(entries.map(([name, kinds]) => [name, [...kinds]]));
    return JSON.stringify(all);
  };
  return { usual: plan(SLACK_KINDS), fromSlack: plan(["session.started", ...SLACK_KINDS]) };
}
