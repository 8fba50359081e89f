import { readFile } from "node:fs/promises";
import { expect } from "chai";
import { openEnvelope } from "#shared/alert-envelope.ts";
import { alertLabels } from "#shared/alert-labels.ts";
import { alertPreview, alertStructure, MAX_PREVIEW } from "#shared/alert-preview.ts";
import { expectLinear } from "../../test/support/expect-linear.ts";

const example = async (name: string) =>
  alertPreview(await readFile(new URL(`../../examples/alerts/${name}`, import.meta.url), "utf8"));

describe("the preview of an alert", () => {
  it("is the first line with something in it", () => {
    expect(alertPreview("\n  Disk full \nmore")).to.equal("Disk full");
    expect(alertPreview("Disk full: worker-3\nnamespace: shop")).to.equal("Disk full: worker-3");
    expect(alertPreview("")).to.equal("");
  });

  it("is the title of JSON, the most telling and then the outermost one", () => {
    expect(alertPreview('{"labels":{"alertname":"Down"},"annotations":{"summary":"x"}}')).to.equal("x");
    expect(alertPreview('{"alerts":[{"annotations":{"summary":"Pods restart"}}]}')).to.equal("Pods restart");
    expect(alertPreview('{"a":{"summary":"inner"},"summary":"outer"}')).to.equal("outer");
    expect(alertPreview('{"kind":"summary","title":"","name":"a"}')).to.equal("a");
    expect(alertPreview('{"title":"says \\"no\\"\\nand more"}')).to.equal('says "no"');
    expect(alertPreview('{"a":1}')).to.equal('{"a":1}');
    expect(alertPreview("{broken")).to.equal("{broken");
  });

  it("is found in JSON that its sender has encoded twice", () => {
    const { text, payload } = openEnvelope(JSON.stringify('{"title":"Disk full"}'));
    expect([text, payload]).to.deep.equal(['{"title":"Disk full"}', { title: "Disk full" }]);
    expect(alertPreview(text)).to.equal("Disk full");
    expect(openEnvelope('"says {"').text).to.equal('"says {"');
  });

  it("is found by the structure of the alert, in envelopes too", () => {
    const encoded = Buffer.from('{"alertname":"Down"}').toString("base64");
    const previews: readonly (readonly [alert: unknown, preview: string])[] = [
      [{ note: 'not "title": "x"', AlertName: "Down" }, "Down"],
      [{ user: { name: "root", title: "Dr." }, description: "disk full" }, "disk full"],
      [{ commonLabels: { name: "db", message: "m", alertname: "Down" }, groupKey: "{}" }, "Down"],
      [
        { commonAnnotations: { summary: "Pods restart" }, groupLabels: { alertname: "Down" } },
        "Pods restart",
      ],
      [{ Type: "Notification", Subject: "ALARM: disk", Message: '{"AlarmName":"a"}' }, "ALARM: disk"],
      [{ Message: '{"AlarmName":"disk full","NewStateReason":"r"}', TopicArn: "arn" }, "disk full"],
      [{ message: { data: encoded, messageId: "7" }, subscription: "projects/p" }, "Down"],
      [{ specversion: "1.0", type: "t", data_base64: encoded }, "Down"],
      [{ id: "1", "detail-type": "Instance stopped", detail: { state: "x" } }, "Instance stopped"],
      [{ "detail-type": "Alarm", detail: { alarmName: "cpu high" } }, "cpu high"],
      [{ data: { essentials: { alertRule: "cpu", description: "d" } } }, "cpu"],
      [{ payload: { incident: { title: "db down" } }, title: "https://example.com/1" }, "db down"],
      [[{ eventType: "t", data: { title: "quota reached" } }], "quota reached"],
      [{ search_name: "failed logins", result: { host: "a" } }, "failed logins"],
      [{ attachments: [{ title: "<https://x.example|disk full>" }] }, "disk full"],
      [{ data: { zone: { deep: { name: "only this" } } } }, "only this"],
    ];
    for (const [alert, preview] of previews) {
      expect(alertPreview(JSON.stringify(alert)), JSON.stringify(alert)).to.equal(preview);
      expect(alertPreview(JSON.stringify(alert, null, 2)), JSON.stringify(alert)).to.equal(preview);
    }
    expect(alertPreview('\uFEFF{"title":"a"}')).to.equal("a");
    expect(alertPreview('{"title":"a"}\n{"title":"b"}')).to.equal("a");
    expect(alertPreview("From: mon@example.com\nSubject: [ALERT] disk full\n\nbody")).to.equal(
      "[ALERT] disk full",
    );
    expect(
      alertPreview("labels:\n  alertname: Down\nannotations:\n  summary: >-\n    two\n    lines\n"),
    ).to.equal("two lines");
  });

  it("has no marks of HTML, Markdown or a terminal, and skips lines that say nothing", () => {
    const lines: Readonly<Record<string, string>> = {
      "<!DOCTYPE html><html><style>p{}</style><body><h1>Disk &amp; db</h1><p>more": "Disk & db",
      "---\n\n## **Disk** full on `db_1_x`\nmore": "Disk full on db_1_x",
      "> - [Disk full](https://example.com) _now_": "Disk full now",
      "```\npod <worker-1> is down": "pod <worker-1> is down",
      "=====\n<!here> *Disk* is at 5 * 4 * 3": "Disk is at 5 * 4 * 3",
      "\u001b[31mERROR\u001b[0m disk\tfull": "ERROR disk full",
      "a < b && c > d": "a < b && c > d",
    };
    for (const [text, line] of Object.entries(lines)) {
      expect(alertPreview(text), text).to.equal(line);
      expect(alertPreview(JSON.stringify({ title: text })), text).to.equal(line);
    }
    for (const part of ["<!--", "*a", "[", "<script ", "**"]) {
      const textOf = (size: number) => part.repeat(size / part.length);
      expect(alertPreview(textOf(4_000)).length).to.be.at.most(MAX_PREVIEW);
      expectLinear(part, { size: 4_000, textOf, work: alertPreview });
    }
  });

  it("needs no more than the beginning of the alert", () => {
    expect(alertPreview(`{"summary":"Pods restart","log":"${"x".repeat(1_000_000)}"}`)).to.equal(
      "Pods restart",
    );
    expect(alertPreview(`{"log":"${"x".repeat(1_000_000)}","summary":"too late"}`)).to.match(
      /^\{"log":"x+…$/u,
    );
  });

  it("is short, without half a character", () => {
    expect(alertPreview("x".repeat(10_000))).to.have.length(MAX_PREVIEW);
    expect(alertPreview("💾".repeat(1_000)).isWellFormed()).to.equal(true);
  });

  it("recognises the alerts of common senders", async () => {
    expect(await example("pagerduty-event.json")).to.equal(
      "checkout-api: 5xx rate above 8% for 5 minutes (prod)",
    );
    expect(await example("kubernetes-event.yaml")).to.equal(
      "Back-off restarting failed container worker in pod " +
        "ledger-worker-6d5f9c7b8-x2k4p_payments(3c8f5f0e-0e0a-4b55-9a2b-7c2f5a1d9e10)",
    );
    expect(await example("alertmanager-webhook.json"))
      .to.be.a("string")
      .that.matches(/^[^{]/u);
    expect(await example("plain-text-emoji.txt")).to.match(/^[^{]/u);
  });
});

describe("alertLabels(structure, names)", () => {
  const labels = (alert: unknown, names?: readonly string[]) =>
    alertLabels(alertStructure(typeof alert === "string" ? alert : JSON.stringify(alert)), names).map(
      ({ name, value }) => `${name}=${value}`,
    );

  it("finds severity, namespace and service of an alert, in its labels first", () => {
    const alerts = [{ labels: { severity: "critical", namespace: "shop", job: "kubelet" } }];
    expect(labels({ status: "firing", alerts })).to.deep.equal([
      "severity=critical",
      "namespace=shop",
      "job=kubelet",
    ]);
    expect(labels({ severity: 2, labels: { Severity: "warning" } })).to.deep.equal(["severity=warning"]);
    expect(labels("severity: high\nservice: checkout")).to.deep.equal(["severity=high", "service=checkout"]);
    expect(labels("a disk is full")).to.deep.equal([]);
  });

  it("finds the named ones in their order, bounded in number and length, whatever an alert has", () => {
    const alert = { labels: { team: "core", zone: "a".repeat(3_000), severity: "x" } };
    const [zone = "", ...rest] = labels(alert, ["zone", "team"]);
    expect([zone.length, rest]).to.deep.equal(["zone=".length + 40, ["team=core"]]);
    expect(labels(alert, [])).to.deep.equal([]);
    expect(labels({ labels: { severity: { deep: 1 }, namespace: null, service: "" } })).to.deep.equal([]);
    expect(labels('{"a":'.repeat(900))).to.deep.equal([]);
    expect(labels(alert, ["__proto__", "constructor"])).to.deep.equal([]);
  });
});
