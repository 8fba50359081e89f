import { ASKS_FOR_TOOL_SUMMARY, SUMMARY_CALL } from "./scripts.ts";

const LOOP = "native-thinking";
export const TOKEN = "the-token-of-the-tests-0123456789abcdef";
const SKILL = "---\nname: kubectl\ndescription: How to look at pods.\n---\n\nLook at the owner first.\n";
const plain = (alert_type: string) => ({
  alert_types: [alert_type],
  stages: [{ name: "look", agents: [{ name: "Plain" }] }],
});
const TARSY = {
  queue: { session_timeout: "45s", scoring_shutdown_timeout: "0s" },
  defaults: {
    llm_provider: "scripted",
    alert_type: "plain",
    scoring: { enabled: true },
    memory: { enabled: true },
  },
  mcp_servers: {
    k8s: {
      transport: { type: "stdio", command: "true", env: { REGION: "eu" } },
      summarization: { size_threshold_tokens: 500 },
    },
  },
  agents: {
    Lead: { iteration_strategy: LOOP, mcp_servers: ["k8s"], required_skills: ["kubectl"] },
    Second: { iteration_strategy: LOOP },
    Looker: { description: "Looks at one thing", iteration_strategy: LOOP },
    Actor: { type: "action", iteration_strategy: LOOP, mcp_servers: ["k8s"] },
    Plain: { iteration_strategy: LOOP },
  },
  agent_chains: {
    "full-chain": {
      alert_types: ["full"],
      stages: [
        {
          name: "look",
          agents: [
            { name: "Lead", sub_agents: ["Looker"] },
            { name: "Second", llm_provider: "broken", fallback_providers: [{ provider: "scripted" }] },
          ],
        },
        { name: "act", agents: [{ name: "Actor" }] },
      ],
    },
    "plain-chain": plain("plain"),
    "kubernetes-agent-chain": plain("kubernetes"),
  },
};
const LESSON = { content: "The disk fills with logs", category: "semantic", valence: "negative" };
const SCRIPT = {
  calls: [
    SUMMARY_CALL,
    { when: ASKS_FOR_TOOL_SUMMARY, steps: [{ text: "many lines, no error" }] },
    { when: { agent: "Plain", contains: "HANG" }, steps: [{ text: "this goes on" }, { hang: true }] },
    {
      when: { agent: "Plain", contains: "REFUSE" },
      steps: [{ error: { code: "content_blocked", message: "no", retryable: false } }],
    },
    { when: { agent: "Looker" }, steps: [{ text: "seen: the disk is full", chunk_size: 4 }] },
    { when: { agent: "ChatAgent" }, steps: [{ text: "because of the logs", chunk_size: 4 }] },
    { when: { agent: "SynthesisAgent" }, steps: [{ text: "both say: the disk is full" }] },
    {
      when: { agent: "Lead", call: 1 },
      steps: [
        { thinking: "let me see" },
        { text: "I look at the events" },
        { tool_call: { name: "k8s.events", arguments: { namespace: "shop" } } },
        { tool_call: { name: "tarsy.dispatch_agent", arguments: { name: "Looker", task: "disks" } } },
      ],
    },
    {
      when: { agent: "Actor", call: 1 },
      steps: [{ tool_call: { name: "k8s.remove", arguments: { pod: "a" } } }],
    },
    { when: { agent: "Actor" }, steps: [{ text: "removed it\nYES" }] },
    ...["Lead", "Second", "Plain"].map((agent) => ({
      when: { agent },
      steps: [{ text: "the disk is full", chunk_size: 4 }],
    })),
    { when: { call: 1 }, steps: [{ text: "well done\nTAGS: incomplete_evidence\n84" }] },
    { when: { call: 2 }, steps: [{ text: "no tool is missing" }] },
    { steps: [{ text: JSON.stringify({ create: [LESSON], reinforce: [], deprecate: [] }) }] },
  ],
};
const BROKEN = {
  calls: [{ steps: [{ error: { code: "provider_error", message: "away", retryable: false } }] }],
};
const PROVIDERS = {
  llm_providers: {
    scripted: { type: "scripted", model: "scripted-test", script: "script.yaml" },
    broken: { type: "scripted", model: "broken-test", script: "broken.yaml" },
  },
};

/** A configuration whose sessions have everything that the contract knows. */
export const CONTRACT_CONFIG = {
  tarsy: TARSY,
  providers: PROVIDERS,
  script: SCRIPT,
  skills: { kubectl: SKILL },
  stubTools: {
    servers: {
      k8s: {
        events: { read_only: true, results: [{ bytes: 60_000 }] },
        remove: { effect: "write", approve: true, results: [{ text: "removed" }] },
      },
    },
  },
};

/** The script of the provider `broken`. */
export const BROKEN_SCRIPT = BROKEN;
