import type { NotificationKind, NotifyPlan } from "#shared/contracts/webhook-message.ts";
import type { NotificationSettings } from "./read-settings.ts";

/** The name of Slack in rows, metrics and logs. */
export const SLACK = "slack";

const SLACK_KINDS: readonly NotificationKind[] = [
  "session.ended",
  "approval.requested",
  "budget.soft_limit",
  "budget.exceeded",
];

/**
 * What is stored with new sessions, as JSON text, null if there is no destination: `fromSlack` with those that answer a message in Slack, which
 * alone are announced there when they start; `usual` with all others.
 */
export function notifyPlans({ slack, webhooks, teams, writeBack }: NotificationSettings): {
  readonly usual: string | null;
  readonly fromSlack: string | null;
} {
  const plan = (slackKinds: readonly NotificationKind[]): string | null => {
    const entries: [string, readonly NotificationKind[]][] = [...webhooks, ...teams, ...writeBack].map(
      ({ name, events }) => [name, events],
    );
    if (slack !== undefined) entries.push([SLACK, slackKinds]);
    if (entries.length === 0) return null;
    const all: NotifyPlan = Object.fromEntries(entries.map(([name, kinds]) => [name, [...kinds]]));
    return JSON.stringify(all);
  };
  return { usual: plan(SLACK_KINDS), fromSlack: plan(["session.started", ...SLACK_KINDS]) };
}

/** The destinations of a configuration, with what names their addresses. */
export function knownDestinations(settings: NotificationSettings): ReadonlyMap<string, string> {
  const { slack, webhooks, teams, writeBack } = settings;
  return new Map([
    ...(slack === undefined ? [] : [[SLACK, slack.channel] as const]),
    ...[...webhooks, ...teams, ...writeBack].map(({ name, address }) => [name, address] as const),
  ]);
}
