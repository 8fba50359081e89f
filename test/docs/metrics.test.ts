import { expect } from "chai";
import { PipelineFixture } from "../support/pipeline-fixture.ts";
import { alarmExpressions, labelMatchers, metricRows, namedMetrics, readPage } from "./documented-metrics.ts";
import { familyName, metricFamilies, type MetricFamilies } from "./metric-families.ts";

const OPERATIONS = "docs/operations.md";
/** Label values that are no failure; an alarm must not select them. */
const ORDERLY: Readonly<Record<string, readonly string[]>> = {
  tarsy_executor_sessions_total: ["completed", "cancelled", "handed_over", "put_off", "waiting", "parked"],
  tarsy_llm_calls_total: ["ok", "cancelled"],
  tarsy_api_session_wakeups_total: ["queued", "already_queued"],
  tarsy_ws_closed_total: ["1001"],
  tarsy_api_notifications_total: ["sent", "dropped"],
};
/** Labels whose values the pages do not list: HTTP's, the models', the receivers' of notifications, the buckets' bounds. */
const OPEN_LABELS = new Set(["method", "route", "provider", "model", "destination", "le", "chain"]);
/** There is no notification, because no agent asks a person; the series are there. */
const NOTIFICATIONS = {
  webhooks: [
    { name: "ops", url: "http://127.0.0.1:9/", secret_env: "OPS_SECRET", events: ["approval.requested"] },
  ],
};

describe("the metrics in the documentation", () => {
  let pipeline: PipelineFixture;
  let atStart: MetricFamilies;
  let afterCalls: MetricFamilies;

  const scrape = async (): Promise<MetricFamilies> => {
    const texts = await Promise.all(
      pipeline.system
        .running()
        .map(async ({ healthPort }) => (await fetch(`http://127.0.0.1:${healthPort}/metrics`)).text()),
    );
    return metricFamilies(texts.join("\n"));
  };
  const valuesOf = (families: MetricFamilies, name: string, label: string) => [
    ...(families.get(familyName(name, families))?.get(label) ?? []),
  ];

  before(async () => {
    // Without a rule no alert is counted as one of an incident.
    pipeline = await PipelineFixture.start({
      config: { tarsy: { system: { notifications: NOTIFICATIONS } } },
      env: {
        ALERT_FINGERPRINT_PATH: "/fingerprint",
        OPS_SECRET: `whsec_${Buffer.alloc(32).toString("base64")}`,
      },
    });
    atStart = await scrape();
    const session = await pipeline.client.submit("count the calls");
    await pipeline.client.waitFor(session, ["completed"]);
    afterCalls = await scrape();
  });
  after(() => pipeline[Symbol.asyncDispose]());
  afterEach(function () {
    pipeline.showOutputOf(this.currentTest);
  });

  it("exist in the services", () => {
    const unknown = namedMetrics().filter(({ name, isPrefix }) =>
      isPrefix
        ? ![...atStart.keys()].some((known) => known.startsWith(name))
        : !atStart.has(familyName(name, atStart)),
    );
    expect(unknown).to.deep.equal([]);
  });

  it("exist in the services where the dashboard of deploy/monitoring shows them", () => {
    const shown = readPage("deploy/monitoring/tarsy-dashboard.json").match(/\btarsy_\w+/gu) ?? [];
    expect(shown.length).to.be.greaterThan(40);
    expect(shown.filter((name) => !atStart.has(familyName(name, atStart)))).to.deep.equal([]);
  });

  it("are all metrics of the services", () => {
    expect(metricRows(OPERATIONS).map(({ name }) => name)).to.have.members([...atStart.keys()]);
  });

  it("have the labels and label values of the services", () => {
    for (const { name, labels: tokens } of metricRows(OPERATIONS)) {
      const labels = [...(afterCalls.get(name) ?? [])].filter(([label]) => label !== "le");
      const known = labels.flatMap(([label, values]) => [label, ...values]);
      expect(known, name).to.include.members(tokens);
      expect(tokens, name).to.include.members(labels.map(([label]) => label));
    }
    const named = ["README.md", "docs/durability.md", "docs/architecture.md"].flatMap((page) =>
      labelMatchers(readPage(page)),
    );
    for (const { metric, label, alternatives } of named) {
      for (const { text, matches } of alternatives) {
        expect(valuesOf(atStart, metric, label).some(matches), `${metric}: ${label} ${text}`).to.equal(true);
      }
    }
  });

  it("list every value of a closed set, and each has a series before its first event", () => {
    for (const { name, labels: tokens } of metricRows(OPERATIONS)) {
      const isClosed = (label: string) =>
        !OPEN_LABELS.has(label) && !(name === "tarsy_api_request_duration_seconds" && label === "status");
      const isAgentStep = name === "tarsy_executor_step_duration_seconds";
      const families = name.startsWith("tarsy_llm_") ? afterCalls : atStart;
      const listed = name === "tarsy_llm_calls_total" ? [...tokens, ...errorCodes()] : tokens;
      for (const [label, values] of families.get(name) ?? []) {
        if (!isClosed(label) || isAgentStep) continue;
        expect(
          listed.filter((token) => !families.get(name)?.has(token)),
          `${name}, ${label}`,
        ).to.include.members([...values]);
      }
    }
    expect(valuesOf(atStart, "tarsy_executor_sessions_total", "status")).to.have.length(11);
    expect(valuesOf(atStart, "tarsy_executor_step_duration_seconds", "kind")).to.include("call-llm");
    expect(valuesOf(atStart, "tarsy_api_request_duration_seconds", "status")).to.have.members(
      "500 503 400 401 403 404 413 415".split(" "),
    );
    expect(valuesOf(atStart, "tarsy_api_request_duration_seconds", "route")).to.include.members(
      valuesOf(afterCalls, "tarsy_api_request_duration_seconds", "route"),
    );
    expect(valuesOf(afterCalls, "tarsy_llm_calls_total", "outcome")).to.have.members([
      "ok",
      "cancelled",
      ...errorCodes(),
    ]);
  });

  it("are used by alarms that select existing values, and failures only", () => {
    const alarms = alarmExpressions();
    expect(alarms.size).to.be.greaterThan(20);
    for (const [alarm, expression] of alarms) {
      // No tool is called here; deploy/test/monitoring.test.ts checks these.
      if (alarm.startsWith("TarsyTool")) continue;
      const metrics = [...expression.matchAll(/tarsy_\w+/gu)].map(([name]) => familyName(name, afterCalls));
      expect([...afterCalls.keys()], alarm).to.include.members(metrics);
      for (const [, grouped = ""] of expression.matchAll(/\bby \(([^)]*)\)/gu)) {
        const labels = metrics.flatMap((name) => [...(afterCalls.get(name)?.keys() ?? [])]);
        expect(labels, alarm).to.include.members(grouped.split(", "));
      }
      const matchers = labelMatchers(expression);
      for (const { metric, label, alternatives, selects } of matchers) {
        const values = valuesOf(afterCalls, metric, label);
        for (const { text, matches } of alternatives) {
          expect(values.some(matches), `${alarm}: ${label} ${text}`).to.equal(true);
        }
        expect(ORDERLY[metric]?.filter(selects) ?? [], alarm).to.deep.equal([]);
      }
      // Without a matcher every value would count, the orderly ones included.
      for (const name of metrics.filter((one) => ORDERLY[one] !== undefined)) {
        expect(
          matchers.map(({ metric }) => metric),
          alarm,
        ).to.include(name);
      }
    }
  });
});

/** The codes in the first table of the page about errors. */
function errorCodes(): string[] {
  const [, section = ""] = readPage("docs/providers.md").split("\n## How a call ends\n");
  const [table = ""] = section.split("\nThe executor adds");
  return [...table.matchAll(/^\| `(\w+)`/gmu)].map(([, code = ""]) => code).filter((code) => code !== "code");
}
