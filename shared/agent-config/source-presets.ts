import type { Loose } from "#shared/agent-config/check-shape.ts";
import type { PRESET_NAMES, SourceEntry } from "#shared/agent-config/schemas/webhooks.ts";

const TOKEN = { type: "token", header: "X-Tarsy-Token" } as const;

/** What the documents of these systems say of their webhooks, as an entry of `system.webhooks.sources` would. */
const SOURCE_PRESETS: Readonly<Record<(typeof PRESET_NAMES)[number], SourceEntry>> = {
  grafana: { format: "alertmanager", verify: { type: "hmac", header: "X-Grafana-Alerting-Signature" } },
  pagerduty: {
    verify: { type: "hmac", header: "X-PagerDuty-Signature", prefix: "v1=" },
    // A note and a responder are of an incident, and are none.
    incident: "/event/data/incident/id /event/data/id",
    resolved: { pointer: "/event/event_type", in: ["incident.resolved"] },
    start_when: ["event_type=incident.triggered"],
    labels: {
      event_type: "/event/event_type",
      title: "/event/data/title",
      urgency: "/event/data/urgency",
      service: "/event/data/service/summary",
      service_id: "/event/data/service/id",
      priority: "/event/data/priority/summary",
    },
  },
  datadog: {
    verify: TOKEN,
    incident: "/aggreg_key",
    event: "/cycle_key",
    resolved: { pointer: "/transition", in: ["Recovered"] },
    start_when: ['transition=~"(Re-)?Triggered|Renotify"'],
    labels: { severity: "/priority" },
    tags: "/tags",
  },
  cloudwatch: {
    verify: { type: "sns" },
    incident: "/AlarmArn",
    event: "/StateChangeTime",
    resolved: { pointer: "/NewStateValue", in: ["OK"] },
    start_when: ["NewStateValue=ALARM"],
    labels: { namespace: "/Trigger/Namespace", metric: "/Trigger/MetricName" },
    tags: "/Trigger/Dimensions",
  },
  // Jira Service Management sends the same.
  opsgenie: {
    verify: TOKEN,
    incident: "/alert/alertId",
    resolved: { pointer: "/action", in: ["Close", "Delete"] },
    start_when: ["action=Create"],
    labels: { priority: "/alert/priority", entity: "/alert/entity", message: "/alert/message" },
    tags: "/alert/tags",
  },
  sentry: {
    verify: { type: "hmac", header: "Sentry-Hook-Signature" },
    // The last is in comments and installations, too, which are about no incident.
    incident: "/data/issue/id /data/event/issue_id /data/metric_alert/id /installation/uuid",
    // Issues and metric alerts are counted apart from each other: the first of both has the same id.
    event: "/data/event/event_id /data/metric_alert/date_started",
    resolved: { pointer: "/action", in: ["resolved"] },
    start_when: ['action=~"created|triggered|critical|warning"', 'incident=~".+"'],
    labels: {
      incident: "/data/issue/id /data/event/issue_id /data/metric_alert/id",
      title: "/data/issue/title /data/event/title /data/description_title",
      level: "/data/issue/level /data/event/level",
      project: "/data/issue/project/slug /data/event/project /data/metric_alert/projects/0",
    },
    tags: "/data/event/tags",
  },
  newrelic: {
    verify: TOKEN,
    incident: "/issueId /id",
    resolved: { pointer: "/state", in: ["CLOSED"] },
    start_when: ['state=~"CREATED|ACTIVATED"'],
    labels: { policy: "/alertPolicyNames/0", condition: "/alertConditionNames/0" },
    tags: "/labels",
  },
  zabbix: {
    verify: TOKEN,
    incident: "/event_id",
    resolved: { pointer: "/event_value", in: ["0"] },
    start_when: ["event_value=1"],
    tags: "/tags",
  },
};

/** A source with what its preset says; its own keys go first. */
export function withPreset<E extends Loose<SourceEntry>>(entry: E) {
  const preset: SourceEntry = entry.preset === undefined ? {} : SOURCE_PRESETS[entry.preset];
  return {
    name: entry.preset,
    ...preset,
    ...entry,
    verify: { ...preset.verify, ...entry.verify },
    labels: { ...preset.labels, ...entry.labels },
  };
}
