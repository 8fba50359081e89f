import { expect } from "chai";
import { readAlert } from "../session/read-alert.ts";

const SILENCED = '{alertname="CertificateExpired", severity="critical", namespace="shop"}';
const read = (value: unknown) => readAlert(JSON.stringify(value));

describe("what is read of an alert first", () => {
  it("is what Alertmanager sends", () => {
    const labels = { alertname: "CertificateExpired", severity: "critical", namespace: "shop" };
    const annotations = {
      summary: "The certificate has expired",
      runbook_url: "https://runbooks.example.com/a",
      team: "edge",
    };
    const alert = { status: "firing", labels, annotations, generatorURL: "http://prometheus:9090/graph" };
    expect(
      read({
        version: "4",
        status: "firing",
        commonLabels: labels,
        externalURL: "http://am:9093",
        alerts: [alert, alert],
      }),
    ).to.deep.equal({
      severity: "critical",
      summary: "The certificate has expired",
      description: undefined,
      labels: [
        ["alertname", "CertificateExpired"],
        ["namespace", "shop"],
      ],
      annotations: [["team", "edge"]],
      links: [
        ["silence", `http://am:9093/#/silences/new?filter=${encodeURIComponent(SILENCED)}`],
        ["runbook", "https://runbooks.example.com/a"],
        ["external", "http://am:9093"],
        ["generator", "http://prometheus:9090/graph"],
      ],
      count: 2,
    });
  });

  it("offers no silence that would be one of other alerts, too", () => {
    const silenceOf = (commonLabels: object, externalURL = "https://am.example.com/") =>
      read({ externalURL, commonLabels, alerts: [{ labels: { alertname: "x" } }] })?.links.find(
        ([name]) => name === "silence",
      )?.[1];
    const quoted = encodeURIComponent('{a="say \\"no\\" \\\\ }"}');
    expect(silenceOf({ a: 'say "no" \\ }' })).to.equal(
      `https://am.example.com/#/silences/new?filter=${quoted}`,
    );
    for (const labels of [
      {},
      { "a.b": "c" },
      { a: "[MASKED_TOKEN:0a1b2c]" },
      { a: 1 },
      { a: "x".repeat(2_000) },
    ]) {
      expect(silenceOf({ ...labels }), JSON.stringify(labels)).to.equal(undefined);
    }
    expect(silenceOf({ a: "b" }, "https://am@evil.example.com")).to.equal(undefined);
    expect(silenceOf({ a: "b" }, "javascript:alert(1)")).to.equal(undefined);
  });

  it("is what Grafana, PagerDuty and Datadog send", () => {
    const grafana = read({
      title: "[FIRING:1] Disk",
      message: "Disk is full",
      commonLabels: { level: "warning" },
      alerts: [
        {
          dashboardURL: "https://grafana.example.com/d/a",
          silenceURL: "javascript:alert(1)",
          runbookURL: "https://grafana.example.com@evil.example/d",
        },
      ],
    });
    expect(grafana).to.include({
      severity: "warning",
      summary: "[FIRING:1] Disk",
      description: "Disk is full",
    });
    expect(grafana?.links).to.deep.equal([["dashboard", "https://grafana.example.com/d/a"]]);
    const pagerduty = read({
      event: { data: { title: "DB down", urgency: "high", html_url: "https://pd.example.com/i/1" } },
    });
    expect(pagerduty).to.include({ severity: "high", summary: "DB down" });
    expect(pagerduty?.links).to.deep.equal([["link", "https://pd.example.com/i/1"]]);
    expect(read({ title: "CPU", tags: ["env:prod", "canary"] })?.labels).to.deep.equal([
      ["env", "prod"],
      ["", "canary"],
    ]);
  });

  it("is nothing of other texts", () => {
    for (const text of [
      "",
      "Disk is full",
      "[not json",
      "null",
      "[1]",
      '{"a":{"b":1}}',
      `{"title":"${"x".repeat(70_000)}"}`,
    ]) {
      expect(readAlert(text), text.slice(0, 20)).to.equal(undefined);
    }
  });

  it("is bounded, and only an address of the web is a link", () => {
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`label${n}`, "x"]));
    const urls = Object.fromEntries(
      Array.from({ length: 50 }, (_, n) => [`a${n}_url`, `https://a.example/${n}`]),
    );
    const facts = read({
      title: "a",
      labels: many,
      annotations: { ...urls, b_url: "data:text/html,x", c_url: "//x" },
    });
    expect(facts?.labels).to.have.length(24);
    expect(facts?.links).to.have.length(8);
    expect(
      readAlert(`{"title":"a","alert":${'{"alert":'.repeat(2_000)}1${"}".repeat(2_000)}}`)?.summary,
    ).to.equal("a");
  });
});
