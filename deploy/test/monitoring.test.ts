import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";
import { Type } from "typebox";
import { parse, stringify } from "yaml";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { alarmExpressions, readPage } from "../../test/docs/documented-metrics.ts";
import { PipelineFixture } from "../../test/support/pipeline-fixture.ts";
import { NIGHTLY, describeNightly } from "../../test/support/nightly.ts";
import { PrometheusServer, findPrometheus, type PrometheusPrograms } from "../../test/support/prometheus.ts";
import { SUMMARY_CALL } from "../../test/support/scripts.ts";
import { until } from "../../test/support/until.ts";

const run = promisify(execFile);
const MONITORING = join(import.meta.dirname, "../monitoring");
const TOOL_SERVER = join(import.meta.dirname, "../../test/support/mcp-servers/telling-server.ts");
const RULES = join(MONITORING, "tarsy-rules.yml");

const parseTests = compileParser(
  "rule tests",
  Type.Object({
    tests: Type.Array(
      Type.Object({
        alert_rule_test: Type.Array(
          Type.Object({ alertname: Type.String(), exp_alerts: Type.Array(Type.Unknown()) }),
        ),
      }),
    ),
  }),
);
const parseDashboard = compileParser(
  "dashboard",
  Type.Object({
    panels: Type.Array(
      Type.Object({
        type: Type.String(),
        title: Type.String(),
        targets: Type.Optional(Type.Array(Type.Object({ expr: Type.String() }))),
      }),
    ),
  }),
);
const Series = Type.Array(Type.Record(Type.String(), Type.String()));
const Metadata = Type.Record(Type.String(), Type.Unknown());
const Result = Type.Object({ resultType: Type.String(), result: Type.Array(Type.Unknown()) });
const Vector = Type.Object({
  resultType: Type.String(),
  result: Type.Array(Type.Object({ value: Type.Tuple([Type.Number(), Type.String()]) })),
});
const Rules = Type.Object({
  groups: Type.Array(
    Type.Object({
      rules: Type.Array(
        Type.Object({
          name: Type.String(),
          query: Type.String(),
          health: Type.String(),
          lastError: Type.Optional(Type.String()),
          state: Type.Optional(Type.String()),
        }),
      ),
    }),
  ),
});
const Targets = Type.Object({
  activeTargets: Type.Array(Type.Object({ health: Type.String(), lastError: Type.String() })),
});

/** A model that calls a tool, with another provider to fall back to. */
const configuration = {
  tarsy: {
    defaults: {
      llm_provider: "scripted",
      alert_type: "test",
      max_iterations: 5,
      fallback_providers: [{ provider: "second" }],
    },
    mcp_servers: {
      tell: { transport: { type: "stdio", command: process.execPath, args: [TOOL_SERVER, "/dev/null"] } },
    },
    agents: { Investigator: { mcp_servers: ["tell"] } },
    agent_chains: {
      test: {
        alert_types: ["test"],
        description: "test",
        stages: [
          { name: "analysis", agents: [{ name: "Investigator", iteration_strategy: "native-thinking" }] },
        ],
      },
    },
  },
  providers: {
    llm_providers: {
      scripted: { type: "scripted", model: "scripted-test", script: "script.yaml" },
      second: { type: "scripted", model: "second-test", script: "script.yaml" },
    },
  },
  script: {
    calls: [
      SUMMARY_CALL,
      {
        when: { call: 1 },
        steps: [{ tool_call: { name: "tell.look", arguments: { text: "password=hunter2hunter2" } } }],
      },
      {
        steps: [
          { text: "The disk is full." },
          { usage: { input_tokens: 1, output_tokens: 2, thinking_tokens: 0 } },
        ],
      },
    ],
  },
};

/** Functions and words of PromQL beside metrics and labels. */
const WORDS = new Set(
  "sum max min rate increase deriv absent histogram_quantile by le and or unless".split(" "),
);

/** The metrics and labels that an expression names. */
function namesIn(expression: string): { readonly metrics: string[]; readonly labels: string[] } {
  const bare = expression.replaceAll(/"[^"]*"/gu, '""');
  const labels = [
    ...[...bare.matchAll(/\{([^}]*)\}/gu)].flatMap(
      ([, inner = ""]) => inner.match(/\w+(?=\s*(?:=|!))/gu) ?? [],
    ),
    ...[...bare.matchAll(/\bby \(([^)]*)\)/gu)].flatMap(([, inner = ""]) => inner.split(/,\s*/u)),
  ].filter((label) => label !== "le");
  const rest = bare.replaceAll(/\{[^}]*\}|\[[^\]]*\]|\bby \([^)]*\)/gu, " ");
  const metrics = (rest.match(/[a-z][\w:]*/giu) ?? []).filter((word) => !WORDS.has(word));
  return { metrics: [...new Set(metrics)], labels };
}

describe("the monitoring files", function () {
  this.timeout(600_000);
  const resources = new AsyncDisposableStack();
  let programs: PrometheusPrograms;

  before(async () => {
    programs = await findPrometheus();
  });
  after(() => resources.disposeAsync());

  const dashboard = async () => {
    const { panels } = parseDashboard(
      JSON.parse(await readFile(join(MONITORING, "tarsy-dashboard.json"), "utf8")),
    );
    return panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ title, expr })));
  };

  it("have rules that promtool accepts, each alert with a case in which it fires and one in which it does not", async () => {
    const { promtool } = programs;
    await run(promtool, ["check", "rules", RULES, join(MONITORING, "tarsy-volumes-rules.yml")]);
    const testFile = join(MONITORING, "tarsy-rules.test.yml");
    if (NIGHTLY) await run(promtool, ["test", "rules", testFile]);
    const tested = parseTests(parse(await readFile(testFile, "utf8"))).tests.flatMap(
      (test) => test.alert_rule_test,
    );
    for (const alert of [...alarmExpressions().keys(), "TarsyVolumeFull"]) {
      const fires = tested
        .filter(({ alertname }) => alertname === alert)
        .map(({ exp_alerts }) => exp_alerts.length > 0);
      expect(new Set(fires), alert).to.deep.equal(new Set([true, false]));
    }
  });

  it("say for each alert what to do", () => {
    const page = readPage("docs/operations.md");
    const described = [...page.matchAll(/^\| `(Tarsy\w+)`/gmu)].map(([, name = ""]) => name);
    expect(described).to.have.members([...alarmExpressions().keys(), "TarsyVolumeFull"]);
  });

  it("have an example configuration that Prometheus accepts", async () => {
    await run(programs.promtool, ["check", "config", join(MONITORING, "prometheus.example.yml")]);
  });

  // That rules name existing metrics and labels, test/docs/metrics.test.ts finds without a Prometheus.
  describeNightly("in a Prometheus that scrapes the five services", () => {
    let pipeline: PipelineFixture;
    let prometheus: PrometheusServer;

    before(async () => {
      pipeline = resources.use(await PipelineFixture.start({ config: configuration, ownServers: true }));
      const { client, system } = pipeline;
      const session = await client.waitFor(await client.submit("disk full"), ["completed", "failed"]);
      expect(session.status, session.error_message ?? "").to.equal("completed");
      const directory = await mkdtemp(join(tmpdir(), "tarsy-prometheus-"));
      resources.defer(() => rm(directory, { recursive: true, force: true }));
      const configFile = join(directory, "prometheus.yml");
      const jobs = system.running().map(({ name, healthPort }) => ({
        job_name: `tarsy-${name}`,
        static_configs: [{ targets: [`127.0.0.1:${healthPort}`] }],
      }));
      const global = { scrape_interval: "2s", scrape_timeout: "2s", evaluation_interval: "1s" };
      await writeFile(configFile, stringify({ global, rule_files: [RULES], scrape_configs: jobs }));
      prometheus = resources.use(
        await PrometheusServer.start(programs, { configFile, directory: join(directory, "data") }),
      );
      await until("every service is scraped", async () => {
        const { activeTargets } = await prometheus.ask("targets", { state: "active" }, Targets);
        return activeTargets.length === 5 && activeTargets.every(({ health }) => health === "up");
      });
    });
    afterEach(function () {
      pipeline.showOutputOf(this.currentTest);
    });

    const rules = async () =>
      (await prometheus.ask("rules", {}, Rules)).groups.flatMap(({ rules: ofGroup }) => ofGroup);

    it("are evaluated, and no alert fires while all is well", async () => {
      const all = await until("every rule is evaluated", async () => {
        const found = await rules();
        return found.length > 0 && found.every(({ health }) => health !== "unknown") ? found : undefined;
      });
      expect(
        all.filter(({ health }) => health !== "ok").map(({ name, lastError }) => [name, lastError]),
      ).to.deep.equal([]);
      expect(all.filter(({ state }) => state === "firing").map(({ name }) => name)).to.deep.equal([]);
    });

    it("name only metrics and labels that the services have, in rules and on the dashboard", async () => {
      const metadata = Object.keys(await prometheus.ask("metadata", {}, Metadata));
      const series = await prometheus.ask("series", { "match[]": '{job=~"tarsy-.+"}' }, Series);
      const labelsOf = new Map<string, Set<string>>();
      for (const { __name__: name = "", ...labels } of series) {
        labelsOf.set(name, new Set([...(labelsOf.get(name) ?? []), ...Object.keys(labels)]));
      }
      const recorded = new Set((await rules()).map(({ name }) => name));
      const expressions = [
        ...(await rules()).map(({ name, query }) => ({ title: name, expr: query })),
        ...(await dashboard()),
      ];
      expect(expressions.length).to.be.above(70);
      for (const { title, expr } of expressions) {
        const { metrics, labels } = namesIn(expr);
        expect(metrics, title).not.to.deep.equal([]);
        for (const metric of metrics.filter((name) => !recorded.has(name) && name !== "up")) {
          const family = metric.replace(/_(?:bucket|count|sum)$/u, "");
          expect(metadata.includes(metric) || metadata.includes(family), `${title}: ${metric}`).to.equal(
            true,
          );
        }
        const known = new Set(metrics.flatMap((metric) => [...(labelsOf.get(metric) ?? ["job"])]));
        const hasSeries = metrics.some((metric) => labelsOf.has(metric));
        expect([...known], title).to.include.members(hasSeries ? labels : []);
      }
    });

    it("have queries on the dashboard that all have values", async () => {
      const panels = await dashboard();
      const empty = async () => {
        const found: string[] = [];
        for (const { title, expr } of panels) {
          const query = expr.replaceAll("$__rate_interval", "1m");
          const { result } = await prometheus.ask("query", { query }, Result);
          if (result.length === 0) found.push(`${title}: ${query}`);
        }
        return found;
      };
      let missing: readonly string[] = [];
      // A rate has a value from the second scrape on.
      await until(
        "every query has a value",
        async () => (missing = await empty()).length === 0,
        30_000,
      ).catch(() => {
        expect(missing).to.deep.equal([]);
      });
    });

    it("count the wait of a session once, and its time by its end", async () => {
      const expected: readonly (readonly [string, string])[] = [
        ["sum(tarsy_executor_session_wait_seconds_count)", "1"],
        ['sum(tarsy_executor_session_duration_seconds_count{status="completed"})', "1"],
        ["sum(tarsy_executor_session_duration_seconds_count)", "1"],
      ];
      for (const [query, count] of expected) {
        const { result } = await prometheus.ask("query", { query }, Vector);
        expect(result[0]?.value[1], query).to.equal(count);
      }
    });

    it("notice an executor that is killed", async () => {
      await pipeline.system.stop("executor", "SIGKILL");
      const noticed = await until("the alert is pending", async () => {
        const found = (await rules()).filter(({ state }) => state === "pending" || state === "firing");
        return found.some(({ name }) => name === "TarsyServiceDown") ? found : undefined;
      });
      expect(noticed.map(({ name }) => name)).to.include("TarsyServiceDown");
    });
  });
});
