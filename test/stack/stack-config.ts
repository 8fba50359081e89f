import { SUMMARY_CALL } from "../support/scripts.ts";

/** Sessions that one executor runs concurrently. */
export const STACK_SLOTS = 8;
/** Sessions that all executors together run concurrently. */
export const MAX_RUNNING = 32;

const chain = (alertType: string, agent: string) => ({
  alert_types: [alertType],
  stages: [{ name: "analysis", agents: [{ name: agent }] }],
});

/** `steps`: a call of 1 s, a tool, a call of 1 s; `wait`: one call of 1 s; `hang`: a call that never ends. */
export const STACK_CONFIG = {
  tarsy: {
    queue: { worker_count: STACK_SLOTS, max_concurrent_sessions: MAX_RUNNING },
    defaults: { llm_provider: "scripted", alert_type: "wait" },
    system: { webhooks: { alertmanager: {} } },
    mcp_servers: {
      k8s: { transport: { type: "stdio", command: "true" } },
      // A real one, of the image; the others are stubs.
      files: {
        transport: {
          type: "stdio",
          command: "mcp-server-filesystem",
          args: ["/app/deploy/config/demo/files"],
        },
        tools: { read_only: ["*"] },
      },
    },
    agents: {
      Investigator: { mcp_servers: ["k8s"], iteration_strategy: "native-thinking" },
      Reader: { mcp_servers: ["files"], iteration_strategy: "native-thinking", custom_instructions: "READ" },
      Waiter: { mcp_servers: [], custom_instructions: "WAIT" },
      Hanger: { mcp_servers: [], custom_instructions: "HANG" },
    },
    agent_chains: {
      "steps-chain": chain("steps", "Investigator"),
      "read-chain": chain("read", "Reader"),
      "wait-chain": chain("wait", "Waiter"),
      "hang-chain": chain("hang", "Hanger"),
      "kubernetes-agent-chain": chain("kubernetes", "Waiter"),
    },
  },
  stubTools: {
    servers: {
      k8s: { restart: { description: "Restarts a pod", results: [{ delay: "300ms", text: "done" }] } },
    },
  },
  script: {
    calls: [
      SUMMARY_CALL,
      { when: { contains: "HANG" }, steps: [{ text: "this goes on" }, { hang: true }] },
      {
        when: { call: 1, contains: "READ" },
        steps: [{ tool_call: { name: "files.read_text_file", arguments: { path: "shop/pods.txt" } } }],
      },
      {
        when: { call: 1, tools: true },
        steps: [{ delay: "1s" }, { tool_call: { name: "k8s.restart", arguments: { pod: "checkout" } } }],
      },
      { steps: [{ delay: "1s" }, { text: "the disk is full", chunk_size: 4 }] },
    ],
  },
};
