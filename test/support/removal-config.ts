import { SUMMARY_CALL } from "./scripts.ts";
import type { ServiceName } from "./tarsy-system.ts";

export const EVERY_SERVICE: readonly ServiceName[] = [
  "api",
  "executor",
  "tool-runner",
  "notifier",
  "llm-gateway",
];

const stages = [{ name: "act", agents: [{ name: "Actor", iteration_strategy: "native-thinking" }] }];

/** A system whose agent removes a pod, to which a person must agree, and then answers. */
export const removalConfig = (answer: string, system: object = {}) => ({
  tarsy: {
    system,
    defaults: { llm_provider: "scripted", alert_type: "test" },
    mcp_servers: { k8s: { transport: { type: "stdio", command: "true" } } },
    agents: { Actor: { type: "action", mcp_servers: ["k8s"] } },
    agent_chains: {
      "test-chain": { alert_types: ["test"], stages },
      "kubernetes-agent-chain": { alert_types: ["kubernetes"], stages },
    },
  },
  script: {
    calls: [
      SUMMARY_CALL,
      { when: { call: 1 }, steps: [{ tool_call: { name: "k8s.remove", arguments: { pod: "a" } } }] },
      { steps: [{ text: answer }] },
    ],
  },
  stubTools: {
    call_log: "calls.jsonl",
    servers: { k8s: { remove: { effect: "write", approve: true, results: [{ text: "removed" }] } } },
  },
});
