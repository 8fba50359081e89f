import { join } from "node:path";
import { expect } from "chai";
import { openSre } from "../import/opensre.ts";
import { COMMIT_DATE, benchmarkClone, importHere } from "./benchmark-clone.ts";

const ALERT = {
  title: "[synthetic-rds] Lag On db-1",
  state: "alerting",
  commonLabels: { alertname: "Lag", pipeline_name: "rds-synthetic", service: "rds" },
  commonAnnotations: { summary: "Lag is high.", rds_failure_mode: "replication_lag", context_sources: "x" },
};
const BASE = "tests/synthetic/rds_postgres/000-healthy";
const LAG = "tests/synthetic/rds_postgres/001-lag";
const PODS = "tests/synthetic/eks/001-oom";
const FILES = {
  [`${BASE}/scenario.yml`]: `failure_mode: healthy
db_instance_identifier: db-1
available_evidence: [aws_cloudwatch_metrics, aws_rds_events]
`,
  [`${BASE}/answer.yml`]: "root_cause_category: healthy\n",
  [`${BASE}/alert.json`]: { ...ALERT, commonAnnotations: { summary: "fine" } },
  [`${BASE}/aws_rds_events.json`]: { events: [] },
  [`${BASE}/aws_cloudwatch_metrics_envelope.json`]: { namespace: "AWS/RDS", metric_data_results: null },
  [`${BASE}/aws_cloudwatch_metrics_B.json`]: '{"id":"b","values":[14210.0]}',
  [`${BASE}/aws_cloudwatch_metrics_A.json`]: { id: "a", timestamps: ["2026-01-01T10:00:00Z"] },
  [`${LAG}/scenario.yml`]: "base: 000-healthy\nfailure_mode: replication_lag\nscenario_difficulty: 2\n",
  [`${LAG}/answer.yml`]: `root_cause_category: resource_exhaustion
required_keywords: [WAL]
forbidden_keywords: [cpu]
forbidden_categories: [healthy]
ruling_out_keywords: [not CPU]
optimal_trajectory: [query_grafana_metrics]
model_response: ROOT_CAUSE
`,
  [`${LAG}/alert.json`]: ALERT,
  [`${LAG}/aws_rds_events.json`]: {
    events: [{ date: "2026-01-01T11:00:00Z", message: "until 2027-01-01T00:00:00Z" }],
  },
  [`${PODS}/scenario.yml`]: "failure_mode: oom_killed\nworkload_name: pay\navailable_evidence: [eks_pods]\n",
  [`${PODS}/answer.yml`]: `root_cause_category: resource_exhaustion
required_queries: [list_eks_pods]
optimal_trajectory: [list_eks_pods, get_eks_events]
`,
  [`${PODS}/alert.json`]: ALERT,
  [`${PODS}/eks_pods.json`]: { pods: [] },
  [`${PODS}/eks_events.json`]: { warning_events: [] },
};

describe("importing OpenSRE", () => {
  let clone: Awaited<ReturnType<typeof benchmarkClone>>;
  let imported: Awaited<ReturnType<typeof importHere>>;

  before(async () => {
    clone = await benchmarkClone(FILES);
    imported = await importHere(openSre, clone.path, join(clone.path, "out"));
  });
  after(async () => clone.remove());

  it("drops what alerts say about the cause and about being a test", async () => {
    const { alert } = await imported.world("rds_postgres/001-lag");
    expect(JSON.parse(alert.data)).to.deep.equal({
      title: "Lag On db-1",
      state: "alerting",
      commonLabels: { alertname: "Lag", service: "rds" },
      commonAnnotations: { summary: "Lag is high." },
    });
    // What an agent may see: not the id, nor the source.
    const { alert: shown, servers, answers } = await imported.world("rds_postgres/001-lag");
    expect(JSON.stringify([shown, servers, answers])).not.to.match(/failure_mode|synthetic|replication_lag/u);
    expect(imported.report.counts).to.deep.equal({ dropped_annotations: 2 });
  });

  it("inherits the evidence that a case does not have, and reads metrics in parts", async () => {
    const { answers } = await imported.world("rds_postgres/001-lag");
    expect(answers.map(({ tool, match }) => [tool, match])).to.deep.equal([
      ["grafana.query_grafana_metrics", "any"],
      ["grafana.query_grafana_logs", "any"],
      ["grafana.query_grafana_alert_rules", "any"],
    ]);
    const metrics = answers[0]?.text ?? "";
    expect(JSON.parse(metrics)).to.have.nested.property("metric_data_results[0].id", "a");
    expect(metrics).to.include("14210.0");
    expect(answers[1]?.text).to.include("2026-01-01T11:00:00Z");
  });

  it("has the tools of the available evidence only", async () => {
    const { servers } = await imported.world("eks/001-oom");
    expect(servers.map(({ id, tools }) => [id, tools.map(({ name }) => name)])).to.deep.equal([
      ["eks", ["list_eks_pods"]],
    ]);
  });

  it("takes the newest value that is a time for now, else the date of the commit", async () => {
    expect((await imported.world("rds_postgres/001-lag")).clock).to.deep.equal({
      now: "2026-01-01T11:00:00Z",
      from: "newest",
    });
    expect((await imported.world("eks/001-oom")).clock).to.deep.equal({ now: COMMIT_DATE, from: "source" });
  });

  it("expects the calls that are required, else those of the best path", async () => {
    const lag = await imported.truth("rds_postgres/001-lag");
    expect(lag).to.deep.include({
      causes: [{ object: "db-1", category: "resource_exhaustion", cause: "replication_lag" }],
      expected_calls: ["query_grafana_metrics"],
      must_name: ["WAL"],
      must_not: ["cpu"],
      categories_not: ["healthy"],
      rule_out: ["not CPU"],
      difficulty: 2,
      reference: "ROOT_CAUSE",
    });
    expect((await imported.truth("eks/001-oom")).expected_calls).to.deep.equal(["list_eks_pods"]);
  });
});
