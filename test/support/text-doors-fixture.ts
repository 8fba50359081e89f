import { chatModel } from "./chat-model.ts";
import { openSseServer, type SseServer } from "./sse-server.ts";

const CHANNEL = "C0123456789";

/** By alert type, what the model does; the instructions say it, because an alert is told to later sessions, too. */
const WAYS = ["LOOK", "HOLD", "REMOVE", "REFUSE", "ECHO"] as const;
const agent = (way: string) => ({
  mcp_servers: ["k8s"],
  custom_instructions: `Do ${way}.`,
  ...(way === "REMOVE" ? { type: "action" } : {}),
});
const chain = (way: string) => ({
  alert_types: [way],
  stages: [{ name: "look", agents: [{ name: way, iteration_strategy: "native-thinking" }] }],
});
/** Destinations, webhooks, memory, and a chain for each way. */
export const doorsConfig = (model: string, hook: string) => ({
  tarsy: {
    system: {
      dashboard_url: "https://tarsy.example.com",
      slack: { enabled: true, channel: CHANNEL },
      notifications: { webhooks: [{ name: "ops", url: hook, secret_env: "OPS_SECRET" }] },
      webhooks: {
        alertmanager: { alert_type: "LOOK" },
        pagerduty: { secret_env: "PD_SECRET", alert_type: "LOOK" },
        raw: { alert_type: "LOOK" },
      },
    },
    defaults: { llm_provider: "first", alert_type: "LOOK", memory: { enabled: true } },
    mcp_servers: { k8s: { transport: { type: "stdio", command: "true" } } },
    agents: Object.fromEntries(WAYS.map((way) => [way, agent(way)])),
    agent_chains: {
      ...Object.fromEntries(WAYS.map((way) => [way, chain(way)])),
      "kubernetes-agent-chain": { ...chain("LOOK"), alert_types: ["kubernetes"] },
    },
  },
  providers: {
    llm_providers: {
      first: { type: "groq", model: "m", base_url: `${model}/v1`, max_tool_result_tokens: 10_000 },
    },
  },
  stubTools: {
    servers: {
      k8s: {
        pods: { read_only: true, results: [{ text: "one pod" }] },
        remove: { effect: "write", approve: true, results: [{ text: "removed" }] },
      },
    },
  },
});

/** A model that does what its instructions say; `secrets` are in its refusals, and it holds its answers until `held` resolves. */
export async function openDoorsModel(secrets: string, held: Promise<void>): Promise<SseServer> {
  const answer = chatModel(({ text, answers: given, hasTools, tool }) => {
    if (text.includes("Do ECHO.")) return `I was told: ${text}`;
    if (!hasTools || given > 0) return "it is one pod";
    return [{ name: tool(text.includes("Do REMOVE.") ? "remove" : "pods"), arguments: {} }];
  });
  return openSseServer(async (reply, request) => {
    const asked = JSON.stringify(request.body);
    if (asked.includes("Do HOLD.")) await held;
    if (!asked.includes("Do REFUSE.")) return answer(reply, request);
    reply.fail(400, { error: { message: `I know ${secrets}`, type: "invalid_request_error" } });
  });
}
