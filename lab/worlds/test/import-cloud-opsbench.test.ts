import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";
import { matchCall } from "#shared/worlds/match-call.ts";
import type { World } from "#shared/worlds/world-format.ts";
import { cloudOpsBench } from "../import/cloud-opsbench/cloud-opsbench.ts";
import { listWorlds } from "../list-worlds.ts";
import { benchmarkClone, importHere } from "./benchmark-clone.ts";

const CASE = "trainticket/service/1";

/** A case in the shape of the source. Every trap is in it. */
const CACHE = {
  'GetResources:{"resource_type":"pod","name":"","namespace":"train-ticket"}': "a minute later",
  'GetResources:{"resource_type":"pods","name":"","namespace":"train-ticket"}': "NAME\nts-a-1\n",
  'DescribeResource:{"resource_type":"service","name":"ts-a","namespace":"train-ticket"}': "only here",
  'GetResources:{"resource_type":"jobs","name":"","namespace":"train-ticket","output_yaml":true}': "yaml",
  'GetResources:{"resource_type":"ingresses","name":"","namespace":"train-ticket"}': "",
  'GetResources:{"resource_type":"nodes","name":"","namespace":""}': "",
  'GetErrorLogs:{"namespace":"train-ticket","service_name":"ts-a"}': { total_errors: 0, patterns: [] },
  'GetErrorLogs:{"namespace":"train-ticket","service_name":"ts-b"}': { total_errors: 1.0, patterns: ["x"] },
  'CheckServiceConnectivity:{"namespace":"train-ticket","service_name":"ts-a","port":8080}': "open",
  "CheckServiceConnectivity-train-ticket-ts-a-8080": "dead",
  GetClusterConfiguration: { nodes: [] },
  "GetAlerts:{}": { alerts: ["Metrics dropped to zero after injection"] },
  'GetAppYAML:{"app_name":"ts-a"}': "kind: Deployment",
  'CheckNodeServiceStatus:{"node_name":"master","service_name":"kubelet"}': "active",
  collection_timestamp: "2026-03-19T22:15:00.123456",
};
const METADATA = {
  namespace: "train-ticket",
  query: "Partial Service Unreachability.",
  result: {
    fault_taxonomy: "Service_Routing_Fault",
    fault_object: "app/ts-a",
    root_cause: "gateway_misroute",
  },
  process: { path1: ["GetResources::pods", "GetAppYAML::ts-a", "GetResources::services"] },
};
const LINES = Array.from({ length: 60 }, (_, at) => `line ${at}`);
const FILES = {
  [`benchmark/${CASE}/metadata.json`]: METADATA,
  [`benchmark/${CASE}/tool_cache.json`]: JSON.stringify(CACHE).replace(
    '"total_errors":1,',
    '"total_errors":1.0,',
  ),
  [`benchmark/${CASE}/raw_data/logs.json`]: {
    "ts-a": LINES.join("\n"),
    "ts-a.istio-proxy": ["proxy", " "],
    "ts-b": "",
  },
  "benchmark/boutique/startup/10/metadata.json": { ...METADATA, namespace: "boutique" },
  "benchmark/boutique/startup/10/tool_cache.json": {
    'GetResources:{"resource_type":"pods","name":"","namespace":"boutique"}': "pods",
    'GetResources:{"resource_type":"pods","name":"","namespace":"boutique","label_selector":"app=x"}': "",
    collection_timestamp: "2025-11-21T19:50:49.1",
  },
  "benchmark/boutique/startup/9/metadata.json": "{",
  "benchmark/boutique/startup/9/tool_cache.json": {},
  [`golden-trajectory/${CASE}/path1.json`]: {
    diagnostic_trace: [
      {
        tool_name: "GetResources",
        calling:
          "tool_name='GetResources' arguments={namespace: 'train-ticket', resource_type: 'pod', name: None, show_labels: False}",
      },
      {
        tool_name: "CheckServiceConnectivity",
        calling:
          "tool_name='CheckServiceConnectivity' arguments={namespace: 'train-ticket', service_name: 'ts-a', port: 8080}",
      },
      { tool_name: "GetAlerts", calling: "tool_name='GetAlerts' arguments={}" },
      {
        tool_name: "DescribeResource",
        calling:
          "tool_name='DescribeResource' arguments={resource_type: 'pod', name: 'it\\'s', namespace: 'train-ticket'}",
      },
      { tool_name: "GetRecentLogs", calling: "tool_name='GetRecentLogs' arguments={service_name: 'other'}" },
    ],
  },
};

describe("importing Cloud-OpsBench", () => {
  let clone: Awaited<ReturnType<typeof benchmarkClone>>;
  let imported: Awaited<ReturnType<typeof importHere>>;
  let world: World;

  before(async () => {
    clone = await benchmarkClone(FILES);
    imported = await importHere(cloudOpsBench, clone.path, join(clone.path, "out"));
    world = await imported.world(CASE);
  });
  after(async () => clone.remove());

  /** What the world says to a call: text, or the kind. */
  function says(tool: string, args: Record<string, unknown>, of = world): string {
    const found = of.servers[0]?.tools.find(({ name }) => name === tool);
    if (found === undefined) return "no such tool";
    const match = matchCall(
      found,
      of.answers.filter((answer) => answer.tool === `cluster.${tool}`),
      args,
      1,
    );
    return match.kind === "miss" ? "miss" : `${match.kind === "absent" ? "absent: " : ""}${match.text}`;
  }

  it("reports what was imported and what was not", () => {
    const { cases, counts, failed, imported: entries } = imported.report;
    expect([cases, Object.keys(entries)]).to.deep.equal([2, ["boutique/startup/10", CASE]]);
    expect(Object.keys(failed)).to.deep.equal(["boutique/startup/9"]);
    expect(counts).to.deep.equal({
      shadowed_keys: 1,
      shadowed_keys_with_other_text: 1,
      conflicts: 0,
      empty_resources: 3,
      changed_texts: 0,
      dead_keys: 1,
      absent_log_files: 1,
    });
  });

  it("takes the key with the plural of two, and the only one if there is one", () => {
    expect(says("GetResources", { resource_type: "po" })).to.equal("NAME\nts-a-1\n");
    expect(says("DescribeResource", { resource_type: "svc", name: "ts-a" })).to.equal("only here");
  });

  it("says of what is recorded as nothing what the benchmark's tools say", async () => {
    expect(says("GetResources", { resource_type: "Ingress" })).to.equal(
      "No resources found in train-ticket namespace.",
    );
    expect(says("GetResources", { resource_type: "nodes", namespace: "any" })).to.equal("No nodes found.");
    expect(says("GetErrorLogs", { service_name: "ts-a" })).to.equal(
      "No error logs found for ts-a in train-ticket namespace.",
    );
    const other = await imported.world("boutique/startup/10");
    const selected = (selector: string) =>
      says("GetResources", { resource_type: "pods", label_selector: selector }, other);
    expect(selected("app=x")).to.equal('No matching pods found for selector "app=x".');
    expect(selected("app=y")).to.equal("miss");
  });

  it("knows that nothing else exists in the namespace, and nothing of other namespaces, YAML and selectors", () => {
    expect(says("GetResources", { resource_type: "pod", name: "x" })).to.equal(
      'absent: Error from server (NotFound): pods "x" not found in namespace "train-ticket"',
    );
    expect(says("GetResources", { resource_type: "secret" })).to.equal(
      "absent: No resources found in train-ticket namespace.",
    );
    expect(says("DescribeResource", { resource_type: "node", name: "x" })).to.equal(
      'absent: Error from server (NotFound): nodes "x" not found',
    );
    expect(says("GetResources", { resource_type: "gizmos" })).to.equal(
      "absent: Error: Unknown resource type 'gizmos'",
    );
    expect(says("CheckServiceConnectivity", { service_name: "ts-a", port: 1 })).to.equal(
      "absent: Connection failed",
    );
    expect(says("CheckServiceConnectivity", { service_name: "nowhere", port: 1 })).to.equal("miss");
    expect(says("GetResources", { resource_type: "pods", namespace: "kube-system" })).to.equal("miss");
    expect(says("GetResources", { resource_type: "secrets", name: "x", output_yaml: true })).to.equal("miss");
    expect(
      says("CheckNodeServiceStatus", { node_name: "master", service_name: "kube-scheduler" }),
    ).to.include("absent: Error: kube-scheduler is not expected to run on master");
  });

  it("keeps the form of numbers in answers that are JSON", () => {
    expect(says("GetErrorLogs", { service_name: "ts-b" })).to.equal(
      '{\n  "total_errors": 1.0,\n  "patterns": [\n    "x"\n  ]\n}',
    );
  });

  it("answers logs with the last 50 lines of each part, and not at all without their file", async () => {
    expect(says("GetRecentLogs", { service_name: "ts-a", lines: 10 })).to.equal(
      ["From ts-a logs:", ...LINES.slice(10), "", "From istio-proxy logs:", "proxy"].join("\n"),
    );
    expect(says("GetRecentLogs", { service_name: "ts-b" })).to.equal(
      "No recent logs found for ts-b in train-ticket namespace.",
    );
    const other = await imported.world("boutique/startup/10");
    expect(says("GetRecentLogs", { service_name: "frontend" }, other)).to.equal("miss");
  });

  it("takes keys without arguments, and leaves out those that no call has", () => {
    expect(says("GetClusterConfiguration", { verbose: true })).to.equal('{\n  "nodes": []\n}');
    expect(JSON.stringify(world)).not.to.include("dead");
  });

  it("gives the time the zone of the pods, and the system its tools", async () => {
    expect(world.clock).to.deep.equal({ now: "2026-03-19T22:15:00.123456+08:00", from: "given" });
    const argsOf = (of: World) => JSON.stringify(of.servers[0]?.tools[0]?.schema["properties"]);
    expect(argsOf(world)).to.include("output_yaml").and.not.include("label_selector");
    expect(argsOf(await imported.world("boutique/startup/10"))).to.include("label_selector");
    expect(world.servers[0]?.tools).to.have.length(10);
  });

  it("has the truth in its own file, with the other spelling of a cause and the leak", async () => {
    const truth = await imported.truth(CASE);
    expect(truth).to.deep.include({
      causes: [
        {
          object: "app/ts-a",
          cause: "gateway_misroute",
          accept: ["gateway_misrouted"],
          category: "Service_Routing_Fault",
        },
      ],
      expected_calls: ["GetResources", "GetAppYAML"],
      leak: true,
    });
    expect((await imported.truth("boutique/startup/10")).leak).to.equal(undefined);
    const text = JSON.stringify(world);
    // The offered list has the code, as one of all.
    expect(text.split("gateway_misroute")).to.have.length(2);
    expect(text).not.to.include(truth.canary);
    expect(world.vocabulary?.objects).to.deep.equal([
      "app/ts-a",
      "app/tsdb-mysql",
      "node/master",
      "namespace/train-ticket",
    ]);
  });

  it("has no licence, and says so", async () => {
    expect(world.licence).to.equal(null);
    expect(await readFile(join(clone.path, "out/cloud-opsbench/NOTICE.md"), "utf8")).to.include(
      "do not commit them or pass them on",
    );
  });

  it("matches the calls of the experts", async () => {
    const { experts, worlds } = await listWorlds({
      directory: join(clone.path, "out"),
      expertsOf: clone.path,
      progress: () => undefined,
      signal: new AbortController().signal,
    });
    expect(worlds).to.have.length(2);
    expect(experts).to.deep.equal({
      asked: 5,
      answered: 3,
      absent: 1,
      missed: [`cloud-opsbench/${CASE} GetRecentLogs {"service_name":"other"}`],
    });
  });
});
