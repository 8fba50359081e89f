import type { BrokenFile } from "./broken-file.ts";

/** Files that say who gets news, and cannot be used. */
export const BROKEN_NOTIFICATIONS: readonly BrokenFile[] = [
  {
    name: "Slack without a channel",
    tarsy: "system:\n  §slack: {enabled: true}\n",
    errors: [["system.slack.channel", "is needed where Slack is enabled"]],
  },
  {
    name: "Slack with the name of a channel",
    tarsy: 'system:\n  slack: {enabled: true, channel: §"#alerts"}\n',
    errors: [["system.slack.channel", "must be the id of a channel, such as C0123456789"]],
  },
  {
    name: "Slack that listens and is switched off, and what names nobody there",
    tarsy:
      "system:\n  slack:\n    listen: §true\n    people: {alice: §a@example.com}\n    roles: {alice: §operator, a@example.com: §admin}\n    channel_teams: {alerts: §[a]}\n    start_sessions_in: [C1, §alerts]\n",
    errors: [
      ["system.slack.listen", "needs enabled: true"],
      ["system.slack.people.alice", "must be the id of a member"],
      ["system.slack.roles.alice", "must be a mail address"],
      ['system.slack.roles["a@example.com"]', "must be one of"],
      ["system.slack.channel_teams.alerts", "must be the id of a channel"],
      ["system.slack.start_sessions_in[1]", "must be the id of a channel"],
    ],
  },
  {
    name: "systems that cannot get notes",
    tarsy:
      "system:\n  notifications:\n    write_back:\n      - {name: a, type: §wiki, token_env: T}\n      - §{name: b, type: jira, token_env: T, url: §ftp://x, user: u}\n      - {name: §b, type: github_issue, token_env: T, project: a/b, key: §id}\n",
    errors: [
      ["system.notifications.write_back[0].type", "must be one of"],
      ["system.notifications.write_back.b.key", "is needed by jira"],
      ["system.notifications.write_back[1].url", "begins with https:// or http://"],
      ["system.notifications.write_back[2].name", "another name than those before"],
      ["system.notifications.write_back[2].key", "must be a JSON pointer"],
    ],
  },
  {
    name: "receivers of notifications that cannot be reached",
    tarsy:
      "system:\n  notifications:\n    webhooks:\n      - {name: a, url: §ftp://x, secret_env: S}\n      - {name: §a, url: §'https://u:p@x', secret_env: S}\n      - {name: §A b, url: https://x, secret_env: S, events: [§session.lost]}\n",
    errors: [
      ["system.notifications.webhooks[0].url", "begins with https:// or http://"],
      ["system.notifications.webhooks[1].name", "another name than those before"],
      ["system.notifications.webhooks[1].url", "no user name and no password"],
      ["system.notifications.webhooks[2].name", "small letters, digits"],
      ["system.notifications.webhooks[2].events[0]", "must be one of"],
    ],
  },
];
