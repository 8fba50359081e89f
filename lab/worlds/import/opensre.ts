import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { parse } from "yaml";
import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { isJsonObject, type JsonObject } from "#shared/json-object.ts";
import type { WorldTool } from "#shared/worlds/world-format.ts";
import { newestTime } from "./newest-time.ts";
import { MISS, headOf, parseAsWritten, type Clone, type ImportedCase, type Source } from "./source.ts";

const Texts = Type.Optional(Type.Array(Type.String()));
const Scenario = Type.Object({
  base: Type.Optional(Type.String()),
  failure_mode: Type.String(),
  available_evidence: Type.Array(Type.String()),
  workload_name: Type.Optional(Type.String()),
  db_instance_identifier: Type.Optional(Type.String()),
  scenario_difficulty: Type.Optional(Type.Number()),
});
const parseScenario = compileParser("scenario.yml", Scenario);
const parseAnswer = compileParser(
  "answer.yml",
  Type.Object({
    root_cause_category: Type.String(),
    required_keywords: Texts,
    forbidden_categories: Texts,
    forbidden_keywords: Texts,
    ruling_out_keywords: Texts,
    required_queries: Texts,
    optimal_trajectory: Texts,
    model_response: Type.Optional(Type.String()),
  }),
);
const parseAlert = compileParser(
  "alert.json",
  Type.Object({
    title: Type.String(),
    state: Type.Optional(Type.String()),
    commonLabels: Type.Record(Type.String(), Type.Unknown()),
    commonAnnotations: Type.Record(Type.String(), Type.Unknown()),
  }),
);
type Alert = ReturnType<typeof parseAlert>;

const CHANGES = [
  "alert annotations *_failure_mode and context_sources, label pipeline_name and the title prefix [synthetic-…] removed: they give the answer or say that this is a test",
];
const CATEGORIES = [
  { code: "healthy", text: "nothing is wrong now" },
  { code: "resource_exhaustion", text: "a resource is used up" },
  { code: "configuration_error", text: "something is configured wrongly" },
  { code: "infrastructure", text: "a node, a network or a service below fails" },
  { code: "unknown", text: "it cannot be told" },
];

/** OpenSRE's synthetic cases: faults of a workload on EKS and of a database on RDS. */
export const openSre: Source = {
  name: "opensre",
  title: "OpenSRE synthetic",
  repository: "https://github.com/Tracer-Cloud/opensre",
  importer: "opensre/1",
  licence: "Apache-2.0",
  notice:
    "Licence: Apache-2.0 (https://www.apache.org/licenses/LICENSE-2.0). Copyright of Tracer and contributors.",
  open: async (clone) => {
    const directory = join(clone.directory, "tests/synthetic");
    if (!existsSync(directory)) throw new Error(`there is no ${directory}: give a clone of OpenSRE`);
    const files = await readdir(directory, { recursive: true });
    const names = files
      .filter((file) => /^(?:eks|rds_postgres)\/[^/]+\/scenario\.yml$/u.test(file))
      .map((file) => file.slice(0, -"/scenario.yml".length))
      .toSorted();
    return { names, left: {}, read: (name) => readCase(clone, name) };
  },
};

/** The files of a case; those that it does not have are its base's. */
interface Files {
  readonly clone: Clone;
  readonly own: string;
  readonly base: string | undefined;
}

async function readCase(clone: Clone, name: string): Promise<ImportedCase> {
  const path = `tests/synthetic/${name}`;
  const own = join(clone.directory, path);
  const raw = await readYaml(clone, join(own, "scenario.yml"));
  const inherited = typeof raw["base"] === "string" ? join(own, "..", raw["base"]) : undefined;
  const base = inherited === undefined ? {} : await readYaml(clone, join(inherited, "scenario.yml"));
  const scenario = parseScenario({ ...base, ...raw });
  const files = { clone, own, base: inherited };
  const given = parseAlert(await readJson(files, "alert.json"));
  const { alert, dropped } = withoutAnswer(given);
  const calls = name.startsWith("eks/")
    ? await workloadCalls(files, scenario)
    : await databaseCalls(files, scenario, alert);
  const servers = [...new Set(calls.map(({ server }) => server))].map((id) => ({
    id,
    tools: calls.filter(({ server }) => server === id).map(toolOf),
  }));
  const now = newestTime(
    calls.flatMap(({ answer }) => timesIn(answer)),
    clone.date,
  );
  return {
    world: {
      ...headOf(openSre, clone, { name, path, changes: CHANGES }),
      clock:
        now === undefined
          ? { now: clone.date, from: "source" }
          : { now: now.replace("+00:00", "Z"), from: "newest" },
      alert: { type: "opensre", data: JSON.stringify(alert, undefined, 2) },
      servers,
      answers: calls.map(({ server, tool, answer }) => ({
        tool: `${server}.${tool}`,
        args: {},
        match: "any",
        text: JSON.stringify(answer, undefined, 2),
      })),
      miss: MISS,
      vocabulary: { objects: [], causes: [], categories: CATEGORIES },
    },
    truth: truthOf(scenario, parseAnswer(await readYaml(clone, join(own, "answer.yml")))),
    counts: { dropped_annotations: dropped },
  };
}

/** The alert without what its suite put there about the cause, or about being a test. */
function withoutAnswer({ title, commonLabels, commonAnnotations, ...others }: Alert) {
  const given = { ...commonLabels, ...commonAnnotations };
  const telling = Object.keys(given).filter((name) => /failure_?mode$/iu.test(name));
  const without = (members: Readonly<Record<string, unknown>>, left: string) =>
    Object.fromEntries(Object.entries(members).filter(([name]) => name !== left && !telling.includes(name)));
  return {
    alert: {
      title: title.replace(/^\[synthetic-[^\]]*\]\s*/iu, ""),
      ...others,
      commonLabels: without(commonLabels, "pipeline_name"),
      commonAnnotations: without(commonAnnotations, "context_sources"),
    },
    dropped: telling.length,
  };
}

interface Call {
  readonly server: string;
  readonly tool: string;
  readonly description: string;
  readonly args: readonly string[];
  readonly answer: JsonObject;
}

const CLUSTER = ["cluster_name", "namespace"];

/** The tools of EKS cases, by the evidence that each reads. */
const WORKLOAD_TOOLS = [
  [
    "eks_pods",
    "eks",
    "list_eks_pods",
    "Lists pods of a namespace with phase, containers, restarts and states.",
    CLUSTER,
  ],
  ["eks_events", "eks", "get_eks_events", "Lists warning events of a namespace.", CLUSTER],
  [
    "eks_deployments",
    "eks",
    "list_eks_deployments",
    "Lists deployments of a namespace with desired, ready and available replicas.",
    CLUSTER,
  ],
  ["eks_node_health", "eks", "get_eks_node_health", "Lists nodes with their conditions.", ["cluster_name"]],
  ["eks_pod_logs", "eks", "get_eks_pod_logs", "Reads logs of a pod.", [...CLUSTER, "pod_name"]],
  ["datadog_logs", "datadog", "query_datadog_logs", "Searches logs.", ["query"]],
  ["datadog_monitors", "datadog", "query_datadog_monitors", "Lists monitors and their states.", ["query"]],
] as const;

type Facts = Static<typeof Scenario>;

async function workloadCalls(files: Files, { available_evidence: available }: Facts): Promise<Call[]> {
  const calls: Call[] = [];
  for (const [evidence, server, tool, description, args] of WORKLOAD_TOOLS) {
    if (!available.includes(evidence)) continue;
    calls.push({ server, tool, description, args, answer: await readJson(files, `${evidence}.json`) });
  }
  return calls;
}

async function databaseCalls(
  files: Files,
  { available_evidence: available }: Facts,
  alert: Alert,
): Promise<Call[]> {
  const server = "grafana";
  const logs: Record<string, unknown> = {};
  if (available.includes("aws_rds_events")) logs["events"] = await readJson(files, "aws_rds_events.json");
  if (available.includes("aws_performance_insights")) {
    logs["performance_insights"] = await readJson(files, "aws_performance_insights.json");
  }
  const { alertname: name } = alert.commonLabels;
  const { summary } = alert.commonAnnotations;
  return [
    {
      server,
      tool: "query_grafana_metrics",
      description: "Reads the metrics of the database instance as time series.",
      args: ["query"],
      answer: await readMetrics(files),
    },
    {
      server,
      tool: "query_grafana_logs",
      description: "Reads events of the database instance, its top SQL and wait events.",
      args: ["query"],
      answer: logs,
    },
    {
      server,
      tool: "query_grafana_alert_rules",
      description: "Lists alert rules.",
      args: [],
      answer: { rules: [{ name, state: alert.state, annotations: { summary } }] },
    },
  ];
}

/** One file, or an envelope with a file for each metric. */
async function readMetrics({ clone, own, base }: Files): Promise<JsonObject> {
  const prefix = "aws_cloudwatch_metrics";
  for (const directory of [own, base ?? own]) {
    const files = { clone, own: directory, base: undefined };
    if (existsSync(join(directory, `${prefix}.json`))) return readJson(files, `${prefix}.json`);
    const envelope = `${prefix}_envelope.json`;
    if (!existsSync(join(directory, envelope))) continue;
    const names = (await readdir(directory)).filter(
      (name) => name.startsWith(`${prefix}_`) && name !== envelope,
    );
    const metrics: JsonObject[] = [];
    for (const name of names.toSorted()) metrics.push(await readJson(files, name));
    return { ...(await readJson(files, envelope)), metric_data_results: metrics };
  }
  throw new Error(`${prefix}.json is missing`);
}

function toolOf({ tool, description, args }: Call): WorldTool {
  return {
    name: tool,
    description,
    schema: {
      type: "object",
      properties: Object.fromEntries(args.map((name) => [name, { type: "string" }])),
    },
    schema_from: "importer",
    read_only: true,
  };
}

function truthOf(
  {
    failure_mode: cause,
    workload_name: workload,
    db_instance_identifier: database,
    scenario_difficulty,
  }: Facts,
  answer: ReturnType<typeof parseAnswer>,
): ImportedCase["truth"] {
  const { required_queries: queries = [], optimal_trajectory: trajectory = [] } = answer;
  const object = workload ?? database;
  if (object === undefined) {
    throw new Error("scenario.yml has neither workload_name nor db_instance_identifier");
  }
  return {
    causes: [{ object, category: answer.root_cause_category, cause }],
    categories_not: answer.forbidden_categories ?? [],
    must: [],
    must_not: answer.forbidden_keywords ?? [],
    rule_out: answer.ruling_out_keywords ?? [],
    expected_calls: queries.length > 0 ? queries : trajectory,
    ...(scenario_difficulty === undefined ? {} : { difficulty: scenario_difficulty }),
    ...(answer.model_response === undefined ? {} : { reference: answer.model_response }),
    must_name: answer.required_keywords ?? [],
  };
}

/** The values that are a time. */
function timesIn(value: unknown): string[] {
  if (typeof value === "string") return /^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/u.test(value) ? [value] : [];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(timesIn) : [];
}

async function readJson({ clone, own, base }: Files, name: string): Promise<JsonObject> {
  const file = base === undefined || existsSync(join(own, name)) ? join(own, name) : join(base, name);
  const value = parseAsWritten(await clone.read(file));
  if (!isJsonObject(value)) throw new Error(`${name} must be an object`);
  return value;
}

async function readYaml(clone: Clone, file: string): Promise<JsonObject> {
  const value: unknown = parse(await clone.read(file));
  if (!isJsonObject(value)) throw new Error(`${file} must be a mapping`);
  return value;
}
