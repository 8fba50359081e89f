import { randomUUID } from "node:crypto";

export const TOKEN = "the-token-of-alertmanager";
export const SECRET = "the-secret-of-pagerduty-0";
export const PAGERDUTY = { preset: "pagerduty", verify: { secret_env: "PD_SECRET" } };
const stages = [{ name: "look", agents: [{ name: "TestAgent" }] }];
export const TARSY = {
  defaults: { llm_provider: "scripted", alert_type: "test" },
  agents: { TestAgent: { mcp_servers: [] } },
  agent_chains: {
    plain: { alert_types: ["test"], stages },
    "kubernetes-agent-chain": { alert_types: ["kubernetes"], stages },
    database: { alert_types: ["database"], stages },
  },
  system: {
    webhooks: {
      alertmanager: {
        token_env: "AM_TOKEN",
        alert_types: [{ match: ['team=~"db|cache"', "severity!=info"], alert_type: "database" }],
      },
      raw: { alert_types: [{ match: ["kind=db"], alert_type: "database" }] },
      sources: [{ ...PAGERDUTY, alert_type: "kubernetes" }],
    },
  },
};
export const SPLIT = { ...TARSY, system: { webhooks: { alertmanager: { split: true } } } };
export const env = { AM_TOKEN: TOKEN, PD_SECRET: SECRET };

export const alert = (name: string, more: object = {}) => ({
  status: "firing",
  labels: { alertname: name, team: "db" },
  annotations: { summary: `${name} is bad` },
  startsAt: "2026-11-23T08:00:00.5Z",
  endsAt: "0001-01-01T00:00:00Z",
  generatorURL: "http://prometheus.example/graph",
  fingerprint: `f-${name}`,
  ...more,
});
export const group = (alerts: readonly object[], more: object = {}) => ({
  version: "4",
  groupKey: `{}:{alertname="${randomUUID()}"}`,
  status: "firing",
  receiver: "tarsy",
  groupLabels: {},
  commonLabels: { severity: "critical" },
  commonAnnotations: {},
  externalURL: "http://alertmanager.example",
  alerts,
  ...more,
});
