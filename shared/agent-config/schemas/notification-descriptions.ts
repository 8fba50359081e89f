/** The descriptions of the keys of `system.slack` and `system.notifications`; part of KEY_DESCRIPTIONS. */
export const NOTIFICATION_DESCRIPTIONS: Readonly<Record<string, string>> = {
  slack:
    "Messages to a channel in Slack when a session ends or a person must decide (docs/alerts-and-notifications.md).",
  "slack.enabled": "Whether messages are sent; false by default.",
  "slack.token_env": "The environment variable with the bot's token; by default SLACK_BOT_TOKEN.",
  channel: "The id of the channel, such as C0123456789; required if messages are sent.",
  listen: "Whether people may write to TARSy from Slack (docs/slack.md); false by default.",
  app_token_env: "The environment variable with the app-level token (xapp-); by default SLACK_APP_TOKEN.",
  people: "Mail addresses by the ids of members of Slack; they go before those of their profiles.",
  mail_domains: "The domains whose addresses in profiles name a person; without it profiles name none.",
  "slack.roles": "The roles of people by their mail address: viewer, submitter or operator.",
  default_role: "The role of the people that are named and have none in `roles`; none by default.",
  channel_teams: "The teams whose sessions are answered in a channel, by its id.",
  start_sessions_in: "The ids of the channels in which a mention starts a session; none by default.",
  "slack.alert_type":
    "The alert type of sessions that a mention starts; by default that of alerts without one.",
  "slack.approvals": "Whether operators decide about tool calls with buttons in Slack; false by default.",
  notifications:
    "Other systems that get a message when sessions end or a person must decide (docs/alerts-and-notifications.md).",
  "notifications.webhooks": "Addresses to which signed messages are sent.",
  "webhooks.name":
    "Names the receiver in lists, metrics and logs; at most 20 receivers, each with its own name.",
  "webhooks.url": "Where the messages are sent: https, or http.",
  "webhooks.secret_env": "The environment variable with the secret: whsec_ and 24 to 64 bytes in base64.",
  "webhooks.events": "What it is sent; by default all but session.started.",
  "notifications.teams": "Channels of Microsoft Teams, each behind a URL of its app Workflows.",
  "teams.name": "Names the channel in lists, metrics and logs.",
  "teams.url_env": "The environment variable with the URL, which is a secret.",
  "teams.events": "What it is sent; by default all but session.started.",
  write_back: "Systems in which a note is written when a session ends: its conclusion and a link.",
  "write_back.name": "Names the system in lists, metrics and logs.",
  "write_back.type":
    "The kind of note: pagerduty_note, github_issue, gitlab_issue, jira, servicenow, grafana_annotation or opsgenie_note.",
  "write_back.url": "Where the system's API is; PagerDuty's, GitHub's, GitLab's and Opsgenie's are known.",
  "write_back.token_env": "The environment variable with the token or password.",
  "write_back.user": "The user of jira and servicenow; the mail address of pagerduty_note.",
  "write_back.project": "The repository of github_issue (owner/name), the project of gitlab_issue.",
  "write_back.key":
    "Where the alert's JSON has the id of the incident, alert or issue, as a JSON pointer; without one no note is written.",
};
