import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { Grouping, Pointer, SourceGrouping } from "#shared/agent-config/schemas/grouping.ts";
import { SESSION_LANES } from "#shared/contracts/subjects.ts";
import { Name, ReceiverName, VariableName } from "#shared/agent-config/schemas/schema-parts.ts";

/** The first rule of which all matchers match decides; without one, `alert_type` of the source, else the default. */
const ALERT_TYPE_KEYS = {
  alert_type: Type.Optional(Name),
  alert_types: Type.Optional(
    Type.Array(Type.Object({ match: Type.Array(Name, { minItems: 1 }), alert_type: Name })),
  ),
};

/** The rules are those of alert types; without a rule that matches, `priority` of the source, else that of the chain. */
const PRIORITY_KEYS = {
  priority: Type.Optional(Type.Enum(SESSION_LANES)),
  priorities: Type.Optional(
    Type.Array(Type.Object({ match: Type.Array(Name, { minItems: 1 }), priority: Type.Enum(SESSION_LANES) })),
  ),
};
const SOURCE_KEYS = { ...ALERT_TYPE_KEYS, ...PRIORITY_KEYS };

/** What `shared/agent-config/source-presets.ts` has. */
export const PRESET_NAMES = [
  "grafana",
  "pagerduty",
  "datadog",
  "cloudwatch",
  "opsgenie",
  "sentry",
  "newrelic",
  "zabbix",
] as const;

/** Places in a JSON alert: of an identity all count, of anything else the first that is there. */
const Places = Type.String({
  pattern: "^(?:/(?:[^~/\\s]|~[01])+)+(?: +(?:/(?:[^~/\\s]|~[01])+)+)*$",
  rule: "must be JSON pointers into the alert with spaces between; write one like /data/issue/id",
});

/** How a source proves that a request is its own. */
const Verify = Type.Object({
  type: Type.Optional(Type.Enum(["token", "hmac", "sns"])),
  secret_env: Type.Optional(VariableName),
  header: Type.Optional(Name),
  prefix: Type.Optional(Name),
  encoding: Type.Optional(Type.Enum(["hex", "base64"])),
  timestamp_header: Type.Optional(Name),
  signed: Type.Optional(
    Type.String({ pattern: "\\{body\\}", rule: "must contain {body}; write it like {timestamp}:{body}" }),
  ),
  topics: Type.Optional(
    Type.Array(
      Type.String({
        pattern: "^arn:[^:]+:sns:[a-z0-9-]+:\\d+:[\\w.-]+$",
        rule: "must be the ARN of a topic",
      }),
      { minItems: 1 },
    ),
  ),
});

/** A source of which this entry, or its preset, says how it proves itself and where in its bodies everything is. */
export const SourceEntry = Type.Object({
  name: Type.Optional(ReceiverName),
  preset: Type.Optional(Type.Enum(PRESET_NAMES)),
  verify: Type.Optional(Verify),
  format: Type.Optional(Type.Enum(["json", "alertmanager"])),
  split: Type.Optional(Pointer),
  incident: Type.Optional(Places),
  event: Type.Optional(Places),
  resolved: Type.Optional(Type.Object({ pointer: Pointer, in: Type.Array(Name, { minItems: 1 }) })),
  start_when: Type.Optional(Type.Array(Name, { minItems: 1 })),
  labels: Type.Optional(Type.Record(Type.String(), Name)),
  tags: Type.Optional(Pointer),
  grouping: Type.Optional(SourceGrouping),
  ...SOURCE_KEYS,
});
export type SourceEntry = Static<typeof SourceEntry>;

/** The sources of alerts; a source that is not named here is off. */
export const Webhooks = Type.Object({
  alertmanager: Type.Optional(
    Type.Object({
      token_env: Type.Optional(VariableName),
      split: Type.Optional(Type.Boolean()),
      grouping: Type.Optional(SourceGrouping),
      ...SOURCE_KEYS,
    }),
  ),
  pagerduty: Type.Optional(
    Type.Object({
      secret_env: VariableName,
      grouping: Type.Optional(SourceGrouping),
      ...SOURCE_KEYS,
    }),
  ),
  raw: Type.Optional(
    Type.Object({
      token_env: Type.Optional(VariableName),
      grouping: Type.Optional(Grouping),
      ...SOURCE_KEYS,
    }),
  ),
  sources: Type.Optional(Type.Array(SourceEntry, { maxItems: 50 })),
});
export type Webhooks = Static<typeof Webhooks>;

/** The keys that every source may set. */
export type WebhookSource = Pick<
  NonNullable<Webhooks["raw"]>,
  "alert_type" | "alert_types" | "priority" | "priorities"
>;
