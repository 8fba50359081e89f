import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import {
  Name,
  ReceiverName,
  VariableName,
  Duration,
  UnusedDuration,
  Whole,
  orZero,
} from "#shared/agent-config/schemas/schema-parts.ts";
import { literals } from "#shared/contracts/literals.ts";
import { NotificationKind } from "#shared/contracts/webhook-message.ts";
import { CostSection } from "#shared/agent-config/schemas/cost-section.ts";
import { Webhooks } from "#shared/agent-config/schemas/webhooks.ts";

/** What people may be allowed to do from Slack. */
const SLACK_ROLES = ["viewer", "submitter", "operator"] as const;

/** Each receiver has a loop and connections of its own. */
const MAX_WEBHOOKS = 20;

const Events = Type.Optional(Type.Array(NotificationKind, { minItems: 1 }));

/** The systems in which a note about a session can be written. */
export const WRITE_BACK_TYPES = [
  "pagerduty_note",
  "github_issue",
  "gitlab_issue",
  "jira",
  "servicenow",
  "grafana_annotation",
  "opsgenie_note",
] as const;

/** Other systems that get notifications. */
const Notifications = Type.Object({
  teams: Type.Optional(
    Type.Array(Type.Object({ name: ReceiverName, url_env: VariableName, events: Events }), {
      maxItems: MAX_WEBHOOKS,
    }),
  ),
  write_back: Type.Optional(
    Type.Array(
      Type.Object({
        name: ReceiverName,
        type: literals(WRITE_BACK_TYPES),
        url: Type.Optional(Name),
        token_env: VariableName,
        user: Type.Optional(Name),
        project: Type.Optional(Name),
        key: Type.Optional(Name),
      }),
      { maxItems: MAX_WEBHOOKS },
    ),
  ),
  webhooks: Type.Optional(
    Type.Array(
      Type.Object({
        name: ReceiverName,
        url: Name,
        secret_env: VariableName,
        events: Events,
      }),
      { maxItems: MAX_WEBHOOKS },
    ),
  ),
});
type Notifications = Static<typeof Notifications>;

/** A day on which few people are at work; `MM-DD` is one of every year, `YYYY-MM-DD` of that year alone. */
export const Holiday = Type.Object({
  date: Name,
  name: Type.String({
    pattern: String.raw`^(?=.*\S).{1,100}$`,
    rule: "must be one line of 1 to 100 characters, not only spaces",
  }),
});
export type Holiday = Static<typeof Holiday>;

/** Settings of the whole system, beside those of processes, which come from the environment. */
export const SystemSection = Type.Object({
  dashboard_url: Type.Optional(Name),
  /** Checked only: the notifier's variable is used. */
  allowed_ws_origins: Type.Optional(Type.Array(Name)),
  github: Type.Optional(Type.Object({ token_env: Type.Optional(VariableName) })),
  runbooks: Type.Optional(
    Type.Object({
      repo_url: Type.Optional(Name),
      cache_ttl: Type.Optional(Duration),
      allowed_domains: Type.Optional(orZero(Type.Array(Name))),
    }),
  ),
  slack: Type.Optional(
    Type.Object({
      enabled: Type.Optional(Type.Boolean()),
      token_env: Type.Optional(VariableName),
      channel: Type.Optional(Name),
      listen: Type.Optional(Type.Boolean()),
      app_token_env: Type.Optional(VariableName),
      people: Type.Optional(Type.Record(Type.String(), Name)),
      mail_domains: Type.Optional(Type.Array(Name)),
      roles: Type.Optional(Type.Record(Type.String(), literals(SLACK_ROLES))),
      default_role: Type.Optional(literals(["none", "viewer", "submitter"])),
      channel_teams: Type.Optional(Type.Record(Type.String(), Type.Array(Name))),
      start_sessions_in: Type.Optional(Type.Array(Name)),
      alert_type: Type.Optional(Name),
      approvals: Type.Optional(Type.Boolean()),
    }),
  ),
  notifications: Type.Optional(Notifications),
  retention: Type.Optional(
    Type.Object({
      session_retention_days: Type.Optional(orZero(Whole(1, 36_500))),
      event_ttl: Type.Optional(UnusedDuration),
      cleanup_interval: Type.Optional(UnusedDuration),
    }),
  ),
  webhooks: Type.Optional(Webhooks),
  mcp: Type.Optional(Type.Object({ decide: Type.Optional(Type.Enum(["off", "operators"])) })),
  cost_estimation: Type.Optional(CostSection),
  holidays: Type.Optional(Type.Array(Holiday, { maxItems: 366 })),
});
export type SystemSection = Static<typeof SystemSection>;
