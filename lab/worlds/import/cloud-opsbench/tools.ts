import type { World, WorldTool } from "#shared/worlds/world-format.ts";

/** What the rules of a case's tools depend on. */
export interface ToolFacts {
  readonly namespace: string;
  /** The tool has `output_yaml`, and no `label_selector`. */
  readonly hasYaml: boolean;
  /** Services whose connectivity was recorded. */
  readonly reachable: readonly string[];
  readonly nodes: readonly string[];
}

const CLUSTER_KINDS = ["nodes", "persistentvolumes", "storageclasses", "namespaces"];

/** Kinds by the names that kubectl knows besides. The plural is one, too. */
const KINDS: Readonly<Record<string, readonly string[]>> = {
  pods: ["pod", "po"],
  services: ["service", "svc"],
  deployments: ["deployment", "deploy"],
  statefulsets: ["statefulset", "sts"],
  daemonsets: ["daemonset", "ds"],
  replicasets: ["replicaset", "rs"],
  configmaps: ["configmap", "cm"],
  secrets: ["secret"],
  persistentvolumeclaims: ["persistentvolumeclaim", "pvc"],
  persistentvolumes: ["persistentvolume", "pv"],
  storageclasses: ["storageclass", "sc"],
  ingresses: ["ingress", "ing"],
  networkpolicies: ["networkpolicy", "netpol"],
  serviceaccounts: ["serviceaccount", "sa"],
  rolebindings: ["rolebinding"],
  jobs: ["job"],
  endpoints: ["endpoint", "ep"],
  namespaces: ["namespace", "ns"],
  nodes: ["node", "no"],
  events: ["event", "ev"],
  resourcequota: ["resourcequotas", "quota"],
};
const KIND_ALIASES = Object.fromEntries(
  Object.entries(KINDS).flatMap(([kind, others]) => others.map((other) => [other, kind])),
);

/** True for the name of a kind under which the recorded calls have it. */
export function isKind(text: unknown): boolean {
  return typeof text === "string" && Object.hasOwn(KINDS, text);
}

const text = { type: "string" };
const flag = { type: "boolean" };

const service = { ...text, description: "The name of a service, not of a pod" };

/** The ten tools of the benchmark, as its own agent gets them. The descriptions are ours. */
export function toolsOf(facts: ToolFacts): World["servers"][number] {
  const dependencies = "Lists the services that a service calls and those that call it.";
  const nodes = "Summarises the nodes: conditions, taints, labels, resources.";
  return {
    id: "cluster",
    tools: [
      ...objectTools(facts),
      tool(
        "GetAppYAML",
        "Reads the YAML with which a service was deployed.",
        { app_name: service },
        ["app_name"],
        {
          normalise: { rename: { app: "app_name", service_name: "app_name", name: "app_name" } },
        },
      ),
      ...serviceTools(facts),
      tool("GetServiceDependencies", dependencies, { service_name: service }, ["service_name"], {
        normalise: { rename: { service: "service_name", app_name: "service_name", name: "service_name" } },
      }),
      tool("GetClusterConfiguration", nodes, {}, [], {}),
      tool("GetAlerts", "Lists the alerts of metrics.", {}, [], {}),
      nodeTool(facts),
    ],
  };
}

/** kubectl get and describe. */
function objectTools(facts: ToolFacts): WorldTool[] {
  const { namespace, hasYaml } = facts;
  const kind = { ...text, description: "A kind such as pods, services or nodes" };
  const within = {
    ...text,
    description: `The namespace, by default ${namespace}; none for kinds of the cluster such as nodes`,
  };
  const rules = {
    normalise: {
      rename: { kind: "resource_type", type: "resource_type", ns: "namespace", resource_name: "name" },
      values: { resource_type: { lower: true, aliases: KIND_ALIASES } },
      defaults: { namespace },
      ignore: [{ arg: "namespace", when: { arg: "resource_type", in: CLUSTER_KINDS } }],
    },
    absent: absentObjects(facts),
  };
  return [
    tool(
      "GetResources",
      "Lists objects of a kind, as kubectl get does. show_labels and output_wide exclude each other.",
      {
        resource_type: kind,
        namespace: within,
        name: { ...text, description: "Only the object of this name" },
        show_labels: flag,
        output_wide: flag,
        ...(hasYaml
          ? { output_yaml: { ...flag, description: "The YAML of the object `name`" } }
          : { label_selector: { ...text, description: "key=value" } }),
      },
      ["resource_type"],
      rules,
    ),
    tool(
      "DescribeResource",
      "Describes one object with its conditions and events, as kubectl describe does.",
      {
        resource_type: kind,
        name: { ...text, description: "The exact name of the object" },
        namespace: within,
      },
      ["resource_type", "name"],
      rules,
    ),
  ];
}

/** The tools that read one service of the namespace. */
function serviceTools(facts: ToolFacts): WorldTool[] {
  const { namespace, reachable } = facts;
  // With a default, so that a call without it is not refused.
  const own = { ...text, description: "The namespace", default: namespace };
  const rules = {
    normalise: {
      rename: { ns: "namespace", service: "service_name", name: "service_name" },
      defaults: { namespace },
    },
  };
  const args = { namespace: own, service_name: service };
  const required = ["namespace", "service_name"];
  return [
    tool("GetRecentLogs", "Reads the newest lines of a service's logs.", args, required, rules),
    tool("GetErrorLogs", "Counts the errors in a service's logs by their pattern.", args, required, rules),
    tool(
      "CheckServiceConnectivity",
      "Opens a TCP connection to a service from within the cluster.",
      { service_name: service, port: { type: "integer" }, namespace: own },
      ["service_name", "port", "namespace"],
      {
        ...rules,
        absent: [
          {
            when: [{ arg: "service_name", in: [...reachable] }, inNamespace(facts)],
            text: "Connection failed",
          },
        ],
      },
    ),
  ];
}

function nodeTool({ nodes }: ToolFacts): WorldTool {
  const components = ["kube-scheduler", "kubelet", "kube-proxy", "containerd"];
  return tool(
    "CheckNodeServiceStatus",
    "Reads the state of a component such as kubelet, kube-proxy or containerd on a node.",
    { node_name: { ...text, enum: [...nodes] }, service_name: { ...text, enum: components } },
    ["node_name", "service_name"],
    {
      normalise: { rename: { node: "node_name", service: "service_name" } },
      absent: [
        {
          when: [
            { arg: "service_name", in: ["kube-scheduler"] },
            { arg: "node_name", in: [...nodes] },
          ],
          text: "Error: {service_name} is not expected to run on {node_name}",
          is_error: true,
        },
      ],
    },
  );
}

function tool(
  name: string,
  description: string,
  properties: Record<string, unknown>,
  required: string[],
  { normalise, absent }: Pick<WorldTool, "normalise" | "absent">,
): WorldTool {
  return {
    name,
    description,
    schema: { type: "object", properties, required },
    schema_from: "given",
    read_only: true,
    normalise: { ...normalise, known: Object.keys(properties) },
    ...(absent === undefined ? {} : { absent }),
  };
}

/**
 * What the benchmark's tools say about what is not recorded: all of the namespace and of the cluster is, so it does not exist. They know
 * no more of other namespaces, of selectors and of YAML: calls for these are misses.
 */
function absentObjects(facts: ToolFacts): NonNullable<WorldTool["absent"]> {
  const kind = { arg: "resource_type", in: Object.keys(KINDS) };
  const plain = [
    { arg: "label_selector", has: false },
    { arg: "output_yaml", has: false },
  ];
  const named = { arg: "name", has: true };
  const ofCluster = { arg: "resource_type", in: CLUSTER_KINDS };
  return [
    {
      when: [
        { arg: "show_labels", has: true },
        { arg: "output_wide", has: true },
      ],
      text: "Error: show_labels and output_wide exclude each other",
      is_error: true,
    },
    {
      when: [ofCluster, named, ...plain],
      text: 'Error from server (NotFound): {resource_type} "{name}" not found',
      is_error: true,
    },
    { when: [ofCluster, ...plain], text: "No {resource_type} found." },
    {
      when: [kind, named, inNamespace(facts), ...plain],
      text: 'Error from server (NotFound): {resource_type} "{name}" not found in namespace "{namespace}"',
      is_error: true,
    },
    { when: [kind, inNamespace(facts), ...plain], text: "No resources found in {namespace} namespace." },
    {
      when: [inNamespace(facts), ...plain],
      text: "Error: Unknown resource type '{resource_type}'",
      is_error: true,
    },
  ];
}

function inNamespace({ namespace }: ToolFacts) {
  return { arg: "namespace", in: [namespace] };
}
