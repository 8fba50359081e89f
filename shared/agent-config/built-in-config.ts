import type { Origin } from "#shared/agent-config/agent-config.ts";
import { BUILT_IN_PROVIDERS } from "#shared/agent-config/built-in-providers.ts";
import type { LlmProviderEntry } from "#shared/agent-config/schemas/llm-providers-file.ts";
import type {
  AgentEntry,
  ChainEntry,
  McpServerEntry,
  TarsyFile,
} from "#shared/agent-config/schemas/tarsy-file.ts";
import type { Loose } from "#shared/agent-config/check-shape.ts";

/** The built-in definitions by name; a written entry of the same name replaces one whole. */
export interface BuiltInConfig {
  readonly agents: ReadonlyMap<string, AgentEntry>;
  readonly chains: ReadonlyMap<string, ChainEntry>;
  readonly mcpServers: ReadonlyMap<string, McpServerEntry>;
  readonly llmProviders: ReadonlyMap<string, LlmProviderEntry>;
  /** The origins of values with variables inserted, by path. */
  readonly origins: ReadonlyMap<string, Origin>;
}

/** The built-in definitions with the variables of `env` inserted. */
export function builtInConfig(): BuiltInConfig {
  return {
    agents: new Map(Object.entries(AGENTS)),
    chains: new Map(Object.entries(CHAINS)),
    mcpServers: new Map([["kubernetes-server", kubernetesServer()]]),
    llmProviders: new Map(Object.entries(BUILT_IN_PROVIDERS)),
    origins: new Map([
      ["mcp_servers.kubernetes-server.transport.args[3]", { file: "built-in", variables: ["KUBECONFIG"] }],
    ]),
  };
}

/** The settings that apply where nothing is written, in the notation of the files. */
export const BUILT_IN_SETTINGS = {
  queue: {
    worker_count: 5,
    max_concurrent_sessions: 5,
    max_concurrent_followups: 5,
    max_parallel_agents: 5,
    session_timeout: "15m",
    poll_interval: "1s",
    poll_interval_jitter: "500ms",
    graceful_shutdown_timeout: "15m",
    scoring_shutdown_timeout: "3m",
    orphan_detection_interval: "5m",
    orphan_threshold: "5m",
    heartbeat_interval: "30s",
  },
  defaults: {
    alert_type: "kubernetes",
    max_iterations: 20,
    iteration_timeout: "120s",
    iteration_strategy: "single-call",
    success_policy: "any",
    alert_masking: { enabled: true, pattern_group: "security" },
  },
  /** Replace the others for a tarsy.yaml that names an `llm_backend`: the times of the original that such files are written for. */
  with_backends: { session_timeout: "40m", iteration_timeout: "6m" },
  /** The longest tool result for a provider that sets no limit: one that fits into the context of today's models. */
  max_tool_result_tokens: 100_000,
  cost_estimation: { enabled: true },
  /** Public holidays on the same date every year in most countries of the world. */
  holidays: [
    { date: "01-01", name: "New Year's Day" },
    { date: "05-01", name: "Labour Day" },
    { date: "12-25", name: "Christmas" },
  ],
  /** A script answers by itself; these only fill the provider's fields. */
  scripted: { model: "scripted", max_tool_result_tokens: 250_000 },
} as const;

/** The description of an agent: its own, else that of the built-in agent whose name it has; empty without both. */
export function describeAgent(name: string, agent: { readonly description?: string } | undefined): string {
  const own = agent?.description?.trim() ?? "";
  return own === "" && agent !== undefined ? (AGENTS[name]?.description ?? "") : own;
}

/** Judges a session that has ended, unless the configuration names another agent. */
export const SCORING_AGENT = "ScoringAgent";

/** Synthesizes the results of a stage with several agents, unless the stage names another agent. */
export const SYNTHESIS_AGENT = "SynthesisAgent";

/** Answers questions about investigations, unless the chain names another agent. */
export const CHAT_AGENT = "ChatAgent";

const SYNTHESIS_INSTRUCTIONS = `You are the incident commander. Several investigations of the same alert ran in parallel, and their results are all you work from.

- Judge each result critically: which claims rest on evidence that was actually gathered, and which are guesses?
- Give weak or unsupported conclusions little weight, however confident they sound.
- Bring the findings together; where they contradict each other, decide which is right and say why, or say that it is open.
- Arrive at one root cause and one set of recommendations, as a single analysis of the incident.
- Do not grade or compare the investigators: the reader wants to know about the incident, not about them.`;

const RESEARCH_INSTRUCTIONS = `You answer questions with what the web says about them.

- Search before you answer, and read the pages that matter instead of trusting the summaries of a search.
- Prefer primary sources: documentation, release notes, issue trackers, status pages.
- Name the address of every source, and say how old it is where that matters.
- Say it when sources contradict each other, or when there is nothing to be found.`;

const CODE_INSTRUCTIONS = `You answer questions by running code.

- Compute what can be computed; do not estimate it.
- Check the result with a second way or a small example where that is cheap.
- Report the result first, then the code's essential steps and the assumptions in it.`;

const WORKER_INSTRUCTIONS = `You work on the task from what you are given: analyse it, compare it, summarize it, or draft what is asked for.

- Do exactly the task, and say what is missing if it cannot be done.
- Separate what the material states from what you conclude.`;

const AGENTS: Readonly<Record<string, AgentEntry>> = {
  KubernetesAgent: {
    description: "Investigates workloads and events of Kubernetes clusters",
    mcp_servers: ["kubernetes-server"],
    iteration_strategy: "react",
  },
  [CHAT_AGENT]: {
    description: "Answers questions about an investigation",
    mcp_servers: ["kubernetes-server"],
    iteration_strategy: "react",
  },
  [SYNTHESIS_AGENT]: {
    description: "Brings the results of several investigations together",
    mcp_servers: ["kubernetes-server"],
    iteration_strategy: "synthesis",
    custom_instructions: SYNTHESIS_INSTRUCTIONS,
  },
  [SCORING_AGENT]: {
    type: "scoring",
    description: "Judges how well an alert was investigated",
  },
  WebResearcher: {
    description: "Searches the web and reads pages",
    llm_backend: "google-native",
    native_tools: { google_search: true, url_context: true, code_execution: false },
    custom_instructions: RESEARCH_INSTRUCTIONS,
  },
  CodeExecutor: {
    description: "Computes and analyses data by running Python code",
    llm_backend: "google-native",
    native_tools: { google_search: false, url_context: false, code_execution: true },
    custom_instructions: CODE_INSTRUCTIONS,
  },
  GeneralWorker: {
    description: "Analyses, compares and summarizes what it is given, without tools",
    custom_instructions: WORKER_INSTRUCTIONS,
  },
};

const CHAINS: Readonly<Record<string, ChainEntry>> = {
  "kubernetes-agent-chain": {
    alert_types: ["kubernetes"],
    description: "Investigates a Kubernetes alert in one stage",
    stages: [{ name: "analysis", agents: [{ name: "KubernetesAgent" }] }],
  },
};

function kubernetesServer(): McpServerEntry {
  return {
    transport: {
      type: "stdio",
      // The installed binary: npx would download at the time of a call, and start four processes.
      command: "kubernetes-mcp-server",
      args: ["--read-only", "--disable-destructive", "--kubeconfig", "{{.KUBECONFIG}}"],
    },
    // It says of itself that it changes nothing, and prints the credentials of the kubeconfig.
    tools: { deny: ["configuration_view"], read_only: KUBERNETES_READS },
    instructions: KUBERNETES_INSTRUCTIONS,
    data_masking: {
      enabled: true,
      pattern_groups: ["kubernetes"],
      patterns: ["certificate", "token", "email"],
    },
    summarization: { enabled: true, size_threshold_tokens: 5000, summary_max_token_limit: 1000 },
  };
}

/** Names, so that a tool of a later version is not trusted. */
const KUBERNETES_READS = [
  "configuration_contexts_list",
  "events_list",
  "helm_list",
  "namespaces_list",
  "nodes_log",
  "nodes_stats_summary",
  "nodes_top",
  "pods_get",
  "pods_list",
  "pods_list_in_namespace",
  "pods_log",
  "pods_top",
  "projects_list",
  "resources_get",
  "resources_list",
];

const KUBERNETES_INSTRUCTIONS = `Working with the Kubernetes server:

- If the tool configuration_contexts_list exists, list the contexts first, and name the context you mean in later calls.
- Lists over the whole cluster can be very long. Ask for them only when nothing narrower will do.
- Prefer queries within one namespace.
- Pass the namespace parameter only for kinds that live in a namespace; leave it out for cluster-scoped ones such as nodes, namespaces and persistent volumes.`;

/** The runbook for alerts without one, unless `defaults.runbook` gives another. */
export const BUILT_IN_RUNBOOK = `# Generic investigation guide

No runbook is written for this kind of alert. Work in this order.

## 1. Understand the alert

- What fired, where (cluster, namespace, workload, host) and since when?
- What does the alert claim, and which observation would confirm or refute it?

## 2. Look at the present state

- Start with the resource the alert names: its status, conditions and recent events.
- Go on to what it depends on and what depends on it.
- Look at logs around the time of the alert, and at restarts, throttling, evictions and limits.

## 3. Find the cause

- What changed shortly before: a deployment, a configuration, a certificate, a quota, the load?
- Separate the first failure from what followed from it.
- Test each suspicion against the data, and drop it if the data says otherwise.

## 4. Report

- The root cause, or the most likely ones with what speaks for and against each.
- The present state, and who or what is affected.
- Steps for a person to mend it, safest first; mark those that destroy or interrupt something.
- What would keep it from happening again.
- What could not be found out, and why.`;

/** The times that apply where a file sets none, in its notation, and where they come from. */
interface BuiltInTimeouts {
  readonly session_timeout: string;
  readonly iteration_timeout: string;
  /** Undefined for the usual ones. */
  readonly origin: string | undefined;
}

/** The built-in times for this `tarsy.yaml`: an `llm_backend` anywhere in its defaults, agents and chains makes them longer. */
export function builtInTimeouts({ defaults, agents, agent_chains }: Loose<TarsyFile>): BuiltInTimeouts {
  const { queue, defaults: usual, with_backends } = BUILT_IN_SETTINGS;
  return namesBackend([defaults, agents, agent_chains])
    ? { ...with_backends, origin: "built-in for files with llm_backend" }
    : {
        session_timeout: queue.session_timeout,
        iteration_timeout: usual.iteration_timeout,
        origin: undefined,
      };
}

function namesBackend(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(value).some(
    ([key, inner]) => (key === "llm_backend" && inner !== undefined) || namesBackend(inner),
  );
}
