import { dashboardOrigin } from "#shared/agent-config/dashboard-origin.ts";
import type { Loose } from "#shared/agent-config/check-shape.ts";
import type { Reporter } from "#shared/agent-config/reporter.ts";
import type { SystemSection } from "#shared/agent-config/schemas/system-section.ts";

/** The history of a channel is asked for by its id, never by its name. */
const CHANNEL_ID = /^[CGD][A-Z0-9]+$/u;

/** Reports a channel and addresses that no message can be sent to, and messages whose links lead nowhere. */
export function checkNotifications(system: Loose<SystemSection>, reporter: Reporter): void {
  const { slack, notifications } = system;
  const { webhooks = [], teams = [], write_back = [] } = notifications ?? {};
  for (const list of [webhooks, teams, write_back]) checkNames(list, reporter);
  for (const target of write_back) if (target !== undefined) checkWriteBack(target, reporter);
  if (slack !== undefined) checkSlack(slack, reporter);
  for (const webhook of webhooks) if (webhook !== undefined) checkAddress(webhook, reporter);
  const count = webhooks.length + teams.length + write_back.length;
  const hasReceivers = slack?.enabled === true || count > 0;
  if (hasReceivers && dashboardOrigin({ dashboard_url: system.dashboard_url }) === undefined) {
    const hint = "give the address of the page";
    const target = { container: system, path: "system.dashboard_url" };
    reporter.warn(target, "is not set, so the links of notifications lead to this machine only", hint);
  }
}

function checkAddress(receiver: { readonly url?: string | undefined }, reporter: Reporter): void {
  const problem = receiver.url === undefined ? undefined : addressProblem(receiver.url);
  // An address may hold a password.
  if (problem !== undefined) reporter.error({ container: receiver, key: "url", secret: true }, problem);
}

function checkNames(
  receivers: readonly ({ readonly name?: string | undefined } | undefined)[] | undefined,
  reporter: Reporter,
): void {
  const names = new Set<string>();
  for (const receiver of receivers ?? []) {
    if (receiver?.name === undefined) continue;
    if (names.has(receiver.name)) {
      reporter.error({ container: receiver, key: "name" }, "must be another name than those before");
    }
    names.add(receiver.name);
  }
}

type WriteBackEntry = NonNullable<NonNullable<SystemSection["notifications"]>["write_back"]>[number];

/** What the types need beside a token. */
const NEEDED: Readonly<Record<WriteBackEntry["type"], readonly ("url" | "user" | "project" | "key")[]>> = {
  pagerduty_note: ["user", "key"],
  github_issue: ["project", "key"],
  gitlab_issue: ["project", "key"],
  jira: ["url", "user", "key"],
  servicenow: ["url", "user", "key"],
  grafana_annotation: ["url"],
  opsgenie_note: ["key"],
};

function checkWriteBack(target: Loose<WriteBackEntry>, reporter: Reporter): void {
  const { type, name = "", key } = target;
  checkAddress(target, reporter);
  if (key !== undefined && !/^(?:\/(?:[^~/]|~[01])+)+$/u.test(key)) {
    reporter.error({ container: target, key: "key" }, "must be a JSON pointer, such as /incident/id");
  }
  for (const needed of type === undefined ? [] : NEEDED[type]) {
    if (target[needed] !== undefined || reporter.sources.hasChild(target, needed)) continue;
    const path = `system.notifications.write_back.${name}.${needed}`;
    reporter.error({ container: target, path }, `is needed by ${type}`);
  }
}

const MEMBER_ID = /^[UW][A-Z0-9]+$/u;

function checkSlack(slack: Loose<NonNullable<SystemSection["slack"]>>, reporter: Reporter): void {
  if (slack.enabled === true) {
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
  checkListening(slack, reporter);
}

/** Reports what names no channel, no member and no mail address, and listening without messages. */
function checkListening(slack: Loose<NonNullable<SystemSection["slack"]>>, reporter: Reporter): void {
  const { people, roles, channel_teams, start_sessions_in } = slack;
  if (slack.listen === true && slack.enabled !== true) {
    reporter.error({ container: slack, key: "listen" }, "needs enabled: true");
  }
  const keys = (container: object | undefined, form: RegExp, rule: string): void => {
    for (const key of Object.keys(container ?? {})) {
      if (container !== undefined && !form.test(key)) reporter.error({ container, key }, rule);
    }
  };
  keys(people, MEMBER_ID, "must be the id of a member, such as U0123456789");
  keys(roles, /^[^@\s]+@[^@\s]+$/u, "must be a mail address");
  keys(channel_teams, CHANNEL_ID, "must be the id of a channel, such as C0123456789");
  (start_sessions_in ?? []).forEach((channel, key) => {
    if (channel === undefined || start_sessions_in === undefined || CHANNEL_ID.test(channel)) return;
    reporter.error({ container: start_sessions_in, key }, "must be the id of a channel, such as C0123456789");
  });
}

function addressProblem(text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/u.test(url.protocol)) {
    return "must be an address that begins with https:// or http://";
  }
  if (url.username !== "" || url.password !== "") return "must have no user name and no password";
  return undefined;
}
