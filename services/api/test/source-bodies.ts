/** Bodies as the documents of the vendors print them, shortened; `n` tells incidents apart. */

const cloudwatch = (n: string, state: "ALARM" | "OK") => ({
  AlarmName: "checkout-5xx",
  AlarmDescription: "More than 10 errors a minute",
  AWSAccountId: "123456789012",
  AlarmConfigurationUpdatedTimestamp: "2026-11-20T08:00:00.000+0000",
  NewStateValue: state,
  NewStateReason: "Threshold Crossed: 1 datapoint [12.0] was greater than the threshold (10.0).",
  StateChangeTime: `2026-11-29T06:0${state === "OK" ? 9 : 0}:00.000+0000`,
  Region: "EU (Ireland)",
  AlarmArn: `arn:aws:cloudwatch:eu-west-1:123456789012:alarm:${n}`,
  OldStateValue: state === "OK" ? "ALARM" : "OK",
  Trigger: {
    MetricName: "HTTPCode_Target_5XX_Count",
    Namespace: "AWS/ApplicationELB",
    StatisticType: "Statistic",
    Statistic: "SUM",
    Dimensions: [{ value: "app/checkout/50dc6c495c0c9188", name: "LoadBalancer" }],
    Period: 60,
    Threshold: 10,
  },
});

const sentryIssue = (n: string, action: string) => ({
  action,
  installation: { uuid: "7a485448-a9e2-4c85-8a3c-4f44175783c9" },
  data: {
    issue: {
      id: n,
      shortId: "CHECKOUT-1",
      title: "ReferenceError: heck is not defined",
      culprit: "?(runner)",
      level: "error",
      status: action === "resolved" ? "resolved" : "unresolved",
      project: { id: "1", name: "Checkout", slug: "checkout" },
    },
  },
  actor: { type: "application", id: "sentry", name: "Sentry" },
});

/** Of resources that are about no incident: their actions are those of issues. */
const sentryOther = (data: object) => ({
  action: "created",
  installation: { uuid: "7a485448-a9e2-4c85-8a3c-4f44175783c9" },
  data,
  actor: { type: "user", id: 1, name: "Colleen" },
});

const sentryAlert = (n: string) => ({
  action: "triggered",
  installation: { uuid: "7a485448-a9e2-4c85-8a3c-4f44175783c9" },
  data: {
    event: {
      event_id: `e4874d664c3540c1a32eab185f12c5ab${n}`,
      issue_id: n,
      issue_url: `https://sentry.io/api/0/issues/${n}/`,
      title: "ReferenceError: heck is not defined",
      level: "error",
      project: 1,
      tags: [
        ["browser", "Chrome 75.0.3770"],
        ["environment", "production"],
        ["action", "index"],
      ],
    },
    triggered_rule: "Very Important Alert Rule!",
  },
  actor: { type: "application", id: "sentry", name: "Sentry" },
});

const opsgenie = (n: string, action: string) => ({
  action,
  alert: {
    alertId: n,
    message: "checkout answers 500",
    tags: ["team:shop", "action:restart", "OverwriteQuietHours"],
    tinyId: "1791",
    entity: "checkout",
    alias: `checkout-${n}`,
    createdAt: 1_416_391_716_123,
    updatedAt: 1_416_391_716_123_456_789n.toString(),
    username: "System",
    priority: "P1",
  },
  source: { name: "", type: "API" },
  integrationName: "tarsy",
  integrationId: "37c8f316-17c6-49d7-899b-9c7e540c048d",
  integrationType: "Webhook",
});

const newrelic = (n: string, state: string) => ({
  id: n,
  issueUrl: "https://radar-api.service.newrelic.com/accounts/1/issues/0ea2df1c",
  title: "Memory Used % > 90 for at least 2 minutes on 'checkout-1'",
  priority: "CRITICAL",
  impactedEntities: ["checkout-1"],
  totalIncidents: 1,
  state,
  trigger: "INCIDENT_ADDED",
  isCorrelated: "false",
  createdAt: 1_617_881_246_260,
  sources: ["newrelic"],
  alertPolicyNames: ["Shop"],
  alertConditionNames: ["Memory"],
  workflowName: "tarsy",
  labels: { state: "Bavaria" },
});

const datadog = (n: string, transition: string) => ({
  id: "6453872367895329846",
  aggreg_key: n,
  cycle_key: `${n}-1`,
  transition,
  title: "[P1] [Triggered] checkout answers 500",
  body: "errors > 10 for 5 minutes",
  priority: "P1",
  tags: "env:prod,transition:blue,service:checkout,monitor",
  query: "sum(last_5m):sum:errors{service:checkout} > 10",
  link: "https://app.datadoghq.com/event/event?id=6453872367895329846",
});

const zabbix = (n: string, value: string) => ({
  event_id: n,
  event_value: value,
  name: "Disk space is low (used > 90%)",
  severity: "High",
  host: "db-7",
  tags: "event_value:low, scope:capacity",
});

const pagerduty = (n: string, event_type: string) => ({
  event: {
    id: `01-${event_type}-${n}`,
    event_type,
    resource_type: "incident",
    occurred_at: "2026-11-29T06:00:00Z",
    data: { id: n, type: "incident", title: "disk full", service: { id: "PF9", summary: "shop" } },
  },
});

/** A note, an answer of a responder, or a change of a service, whose data have ids of their own or none. */
const pagerdutyOther = (event_type: string, data: object) => ({
  event: { ...pagerduty("", event_type).event, id: `01-${event_type}`, data },
});

const grafana = (n: string, status: string) => ({
  receiver: "tarsy",
  status,
  orgId: 1,
  alerts: [
    {
      status,
      labels: { alertname: "High memory usage", team: "blue", zone: "us-1" },
      annotations: { description: "The system has high memory usage" },
      startsAt: "2026-11-29T06:00:00.5Z",
      endsAt: "0001-01-01T00:00:00Z",
      generatorURL: "https://play.grafana.org/alerting/1afz29v7z/edit",
      fingerprint: "c6eadffa33fcdf37",
      values: { B: 44.23943737541908, C: 1 },
    },
  ],
  groupLabels: {},
  commonLabels: { team: "blue" },
  commonAnnotations: {},
  externalURL: "https://play.grafana.org/",
  version: "1",
  groupKey: `{}:{alertname="${n}"}`,
  truncatedAlerts: 0,
  title: "[FIRING:1]",
  state: "alerting",
});

/** By preset: what begins an incident, what is no news of it, and what says that it is over. */
export const SOURCE_BODIES = {
  grafana: { begins: (n) => grafana(n, "firing"), over: (n) => grafana(n, "resolved"), matcher: "team=blue" },
  pagerduty: {
    begins: (n) => pagerduty(n, "incident.triggered"),
    over: (n) => pagerduty(n, "incident.resolved"),
    others: (n) => [
      pagerduty(n, "incident.acknowledged"),
      pagerdutyOther("incident.annotated", { id: "P2LA89X", incident: { id: n }, type: "incident_note" }),
      pagerdutyOther("incident.responder.added", { incident: { id: n }, type: "incident_responder" }),
      pagerdutyOther("service.updated", { id: "PF9", type: "service" }),
    ],
    matcher: "service=shop",
  },
  datadog: {
    begins: (n) => datadog(n, "Triggered"),
    again: (n) => datadog(n, "Re-Triggered"),
    over: (n) => datadog(n, "Recovered"),
    others: (n) => [datadog(n, "No Data")],
    matcher: "service=checkout",
  },
  cloudwatch: {
    begins: (n) => cloudwatch(n, "ALARM"),
    over: (n) => cloudwatch(n, "OK"),
    matcher: 'LoadBalancer=~"app/checkout/.*"',
  },
  opsgenie: {
    begins: (n) => opsgenie(n, "Create"),
    over: (n) => opsgenie(n, "Close"),
    others: (n) => [opsgenie(n, "Acknowledge")],
    matcher: "OverwriteQuietHours=true",
  },
  sentry: {
    begins: sentryAlert,
    over: (n) => sentryIssue(n, "resolved"),
    others: (n) => [
      sentryIssue(n, "assigned"),
      sentryOther({ installation: { status: "installed", uuid: n } }),
      sentryOther({ comment: "a comment", project_slug: "checkout", comment_id: 1_234, issue_id: n }),
      sentryOther({ error: { event_id: n, issue_id: n, title: "ReferenceError" } }),
    ],
    matcher: "environment=production",
  },
  newrelic: {
    begins: (n) => newrelic(n, "CREATED"),
    again: (n) => newrelic(n, "ACTIVATED"),
    over: (n) => newrelic(n, "CLOSED"),
    matcher: "policy=Shop",
  },
  zabbix: { begins: (n) => zabbix(n, "1"), over: (n) => zabbix(n, "0"), matcher: "scope=capacity" },
} satisfies Record<
  string,
  {
    readonly begins: (n: string) => object;
    readonly over: (n: string) => object;
    /** The same incident, told once more. */
    readonly again?: (n: string) => object;
    /** Start nothing. */
    readonly others?: (n: string) => readonly object[];
    /** A matcher of a label that only the preset knows. */
    readonly matcher: string;
  }
>;
