import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { isJsonObject } from "#shared/json-object.ts";
import { MISS, headOf, parseAsWritten, type Clone, type ImportedCase, type Source } from "../source.ts";
import { readAnswers, type RecordedCall } from "./answers.ts";
import { toolsOf } from "./tools.ts";
import { acceptedFor, vocabularyOf } from "./vocabulary.ts";

/** What the benchmark's tool gives of each log. */
const LINES = 50;

/** The logs of a service, by the ending of their name in the file, and the line above each. */
const PARTS = [
  ["", (service: string) => `From ${service} logs:`],
  [".previous", () => "From previous container logs:"],
  [".istio-proxy", () => "From istio-proxy logs:"],
] as const;

/** The calls of GetRecentLogs, which the recording has as a file of its own; undefined without the file. */
async function readLogs(clone: Clone, file: string, namespace: string): Promise<RecordedCall[] | undefined> {
  if (!existsSync(file)) return undefined;
  const logs: unknown = JSON.parse(await clone.read(file));
  if (!isJsonObject(logs)) throw new Error("raw_data/logs.json must be an object");
  const services = new Set(Object.keys(logs).map((name) => name.replace(/\.(?:previous|istio-proxy)$/u, "")));
  return Array.from(services, (service) => {
    const parts = PARTS.flatMap(([ending, heading]) => {
      const lines = linesOf(logs[`${service}${ending}`]).slice(-LINES);
      return lines.length === 0 ? [] : [[heading(service), ...lines].join("\n")];
    });
    return { tool: "GetRecentLogs", args: { namespace, service_name: service }, value: parts.join("\n\n") };
  });
}

function linesOf(log: unknown): string[] {
  const lines: readonly unknown[] = Array.isArray(log)
    ? log
    : typeof log === "string"
      ? log.split(/\r?\n/u)
      : [];
  return lines.map(String).filter((line) => line.trim() !== "");
}

const Metadata = Type.Object({
  namespace: Type.String(),
  query: Type.String(),
  result: Type.Object({
    fault_taxonomy: Type.String(),
    fault_object: Type.String(),
    root_cause: Type.String(),
  }),
  process: Type.Optional(Type.Object({ path1: Type.Optional(Type.Array(Type.String())) })),
});
const parseMetadata = compileParser("metadata.json", Metadata);

/** A database that runs outside of the services, and has faults. */
const OTHER_APPS: Readonly<Record<string, readonly string[]>> = { "train-ticket": ["tsdb-mysql"] };

const CHANGES = [
  "keys of the recording that no call of the benchmark's own tools reaches are left out",
  "empty answers have the sentence that the benchmark's tool says then",
  "answers that are JSON are indented by two spaces",
  "GetRecentLogs answers the last 50 lines of each of a service's logs",
  "descriptions of tools, causes and categories are ours",
];

/** Cloud-OpsBench: 656 faults of two systems on Kubernetes, each with the answers of ten tools. */
export const cloudOpsBench: Source = {
  name: "cloud-opsbench",
  title: "Cloud-OpsBench",
  repository: "https://github.com/LLM4Ops/Cloud-OpsBench",
  importer: "cloud-opsbench/1",
  licence: null,
  notice: "Licence: none is given. These files are for you alone: do not commit them or pass them on.",
  open: async (clone) => {
    const names = await findCases(join(clone.directory, "benchmark"));
    return { names, left: {}, read: (name) => readCase(clone, name) };
  },
};

/** `system/category/number`, by number. */
async function findCases(directory: string): Promise<string[]> {
  if (!existsSync(directory)) throw new Error(`there is no ${directory}: give a clone of Cloud-OpsBench`);
  const files = await readdir(directory, { recursive: true });
  return files
    .filter((file) => /^[^/]+\/[^/]+\/[^/]+\/metadata\.json$/u.test(file))
    .map((file) => file.slice(0, -"/metadata.json".length))
    .toSorted()
    .toSorted((a, b) => a.localeCompare(b, "en", { numeric: true }));
}

async function readCase(clone: Clone, name: string): Promise<ImportedCase> {
  const path = `benchmark/${name}`;
  const directory = join(clone.directory, path);
  const metadata = parseMetadata(await readJson(clone, join(directory, "metadata.json")));
  const cache = await readJson(clone, join(directory, "tool_cache.json"));
  if (!isJsonObject(cache)) throw new Error("tool_cache.json must be an object");
  const { namespace, query } = metadata;
  const calls = Object.entries(cache).flatMap(([key, value]) => callOf(key, value) ?? []);
  const named = (tool: string, arg: string) => [
    ...new Set(calls.filter((call) => call.tool === tool).map(({ args }) => String(args[arg]))),
  ];
  const nodes = named("CheckNodeServiceStatus", "node_name");
  const server = toolsOf({
    namespace,
    hasYaml: calls.some(({ args }) => "output_yaml" in args),
    reachable: named("CheckServiceConnectivity", "service_name"),
    nodes,
  });
  const logs = await readLogs(clone, join(directory, "raw_data/logs.json"), namespace);
  const { answers, counts } = readAnswers(server, [...calls, ...(logs ?? [])]);
  return {
    world: {
      ...headOf(cloudOpsBench, clone, { name, path, changes: CHANGES }),
      // The recording has no zone; its pods have +0800.
      clock: { now: `${String(cache["collection_timestamp"])}+08:00`, from: "given" },
      alert: { type: "cloud-opsbench", data: `Namespace ${namespace}: ${query}` },
      servers: [server],
      answers,
      miss: MISS,
      vocabulary: vocabularyOf({
        apps: [...named("GetAppYAML", "app_name"), ...(OTHER_APPS[namespace] ?? [])],
        nodes,
        namespace,
      }),
    },
    truth: truthOf(
      metadata,
      answers.some(({ tool, text }) => tool === "cluster.GetAlerts" && /after injection/iu.test(text)),
    ),
    counts: {
      ...counts,
      dead_keys: Object.keys(cache).length - 1 - calls.length,
      ...(logs === undefined ? { absent_log_files: 1 } : {}),
    },
  };
}

/** The call that a key of the recording stands for, such as `GetAppYAML:{"app_name":"frontend"}`. */
function callOf(key: string, value: unknown): RecordedCall | undefined {
  const [, tool = "", args = "{}"] = /^(\w+)(?::(\{.*\}))?$/su.exec(key) ?? [];
  // Names of tools begin with a capital; collection_timestamp is no call.
  if (!/^[A-Z]/u.test(tool)) return undefined;
  const parsed: unknown = JSON.parse(args);
  return isJsonObject(parsed) ? { tool, args: parsed, value } : undefined;
}

function truthOf({ result, process }: Static<typeof Metadata>, isLeak: boolean): ImportedCase["truth"] {
  const accept = acceptedFor(result.root_cause);
  const calls = (process?.path1 ?? []).map((step) => step.split("::", 1)[0] ?? "");
  return {
    causes: [
      {
        object: result.fault_object,
        cause: result.root_cause,
        ...(accept.length === 0 ? {} : { accept }),
        category: result.fault_taxonomy,
      },
    ],
    expected_calls: [...new Set(calls)],
    ...(isLeak ? { leak: true } : {}),
  };
}

async function readJson(clone: Clone, file: string): Promise<unknown> {
  return parseAsWritten(await clone.read(file));
}
