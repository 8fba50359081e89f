import { appendFile, cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { expect } from "chai";
import { stringify } from "yaml";
import { builtInConfig } from "#shared/agent-config/built-in-config.ts";
import { PREFERRED_PROVIDERS } from "#shared/agent-config/found/find-keys.ts";
import { keyVariable } from "#shared/agent-config/provider-keys.ts";
import { programsEnvironment } from "../../launcher/supervisor/plan-services.ts";
import { NIGHTLY } from "../support/nightly.ts";
import { BackingServers } from "../support/backing-servers.ts";
import { geminiChunk } from "../support/gemini-server.ts";
import { CHECKOUT } from "../support/spawn-service.ts";
import { openSseServer, type SseReply, type SseRequest, type SseServer } from "../support/sse-server.ts";
import { TarsyClient } from "../support/tarsy-client.ts";
import { TarsySystem } from "../support/tarsy-system.ts";

/** Vertex AI asks Google for a token first. */
const ALL_PROVIDERS = PREFERRED_PROVIDERS.filter((name) => name !== "vertexai-default");
/** In `npm test` one: the gateway's own tests have every adapter. */
const PROVIDERS = ALL_PROVIDERS.slice(0, NIGHTLY ? ALL_PROVIDERS.length : 1);
/** What the fake providers have: none of the models that were retired until November 2026. */
const MODELS = new Set([
  "gemini-3.7-flash",
  "gpt-5.2",
  "claude-sonnet-5",
  "grok-4.6",
  "mistral-large-latest",
  "openai/gpt-oss-120b",
  "anthropic/claude-sonnet-5.5",
  "deepseek-v4-pro",
]);
const ANSWER = "The pod was killed because its memory was full. This rests on example files.";

/** A provider of any API that calls one tool in ReAct's form, and then concludes. */
function answer(reply: SseReply, { path, body }: SseRequest): void {
  const text = JSON.stringify(body);
  const model = /\/models\/(?<name>[^/:]+):/u.exec(path)?.groups?.["name"] ?? modelOf(body);
  if (!MODELS.has(model)) {
    reply.fail(404, { error: { code: 404, message: `no such model: ${model}`, status: "NOT_FOUND" } });
    return;
  }
  const isAgent = text.includes("Final Answer:");
  const says = !isAgent
    ? "Memory full."
    : text.includes("Observation:") && text.includes("/files")
      ? `Thought: That is enough.\nFinal Answer: ${ANSWER}`
      : "Thought: I look at what there is.\nAction: kubernetes-server.list_allowed_directories\nAction Input: {}";
  const format = Object.keys(FORMATS).find((part) => path.includes(part)) ?? "";
  FORMATS[format]?.(reply, says);
  reply.end();
}

function modelOf(body: unknown): string {
  return typeof body === "object" && body !== null && "model" in body ? String(body.model) : "";
}

const FORMATS: Readonly<Record<string, (reply: SseReply, text: string) => void>> = {
  ":streamGenerateContent": (reply, text) => reply.data(geminiChunk([{ text }], { finishReason: "STOP" })),
  "/chat/completions": (reply, content) =>
    reply.data({ choices: [{ index: 0, delta: { role: "assistant", content }, finish_reason: "stop" }] }),
  "/messages": (reply, text) => {
    const event = (type: string, fields: object = {}) => reply.event({ type, ...fields });
    const usage = { input_tokens: 50, output_tokens: 1 };
    event("message_start", { message: { id: "msg_1", role: "assistant", content: [], usage } });
    event("content_block_start", { index: 0, content_block: { type: "text", text: "" } });
    event("content_block_delta", { index: 0, delta: { type: "text_delta", text } });
    event("content_block_stop", { index: 0 });
    event("message_delta", { delta: { stop_reason: "end_turn" }, usage });
    event("message_stop");
  },
  "/responses": (reply, text) => {
    const event = (type: string, fields: object) => reply.event({ type, ...fields });
    const content = [{ type: "output_text", text, annotations: [] }];
    const output = [{ type: "message", id: "m", role: "assistant", status: "completed", content }];
    const usage = { input_tokens: 5, output_tokens: 5, total_tokens: 10 };
    event("response.output_text.delta", { item_id: "m", output_index: 0, content_index: 0, delta: text });
    event("response.completed", {
      response: { id: "r", object: "response", status: "completed", output, usage },
    });
  },
};

describe("the default configuration with a key", () => {
  const resources = new AsyncDisposableStack();
  let server: SseServer;
  let client: TarsyClient;

  before(async () => {
    server = resources.use(await openSseServer(answer));
    const configDir = await mkdtemp(join(tmpdir(), "tarsy-first-minute-"));
    resources.defer(() => rm(configDir, { recursive: true }));
    await cp(join(CHECKOUT, "deploy/config"), configDir, { recursive: true });
    const { llmProviders } = builtInConfig();
    const entries = PROVIDERS.map((name) => {
      const { timeouts: _none, ...entry } = llmProviders.get(name) ?? { type: "scripted" };
      return [
        name,
        { ...entry, api_key_env: keyVariable(entry), base_url: `${server.url}/${name}` },
      ] as const;
    });
    const providers = { llm_providers: Object.fromEntries(entries) };
    await writeFile(join(configDir, "llm-providers.yaml"), stringify(providers));
    // The built-in agent with each of the providers; nothing else is added to what is written.
    const chains = PROVIDERS.map((name) => {
      const stages = [{ name: "analysis", agents: [{ name: "KubernetesAgent" }] }];
      return [`${name}-chain`, { alert_types: [name], llm_provider: name, stages }] as const;
    });
    const tarsy = join(configDir, "tarsy.yaml");
    await appendFile(tarsy, stringify({ agent_chains: Object.fromEntries(chains) }));
    const keys = entries.map(([, { api_key_env = "" }]) => [api_key_env, "a-key"] as const);
    const servers = resources.use(await BackingServers.choose({}));
    const PATH = process.env["PATH"]?.split(delimiter).filter((folder) => !folder.includes("node_modules"));
    const programs = programsEnvironment("tool-runner", {
      root: CHECKOUT,
      env: { PATH: PATH?.join(delimiter) },
    });
    const env = { ...Object.fromEntries(keys), ...programs };
    const system = resources.use(await TarsySystem.start({ servers, configDir, env }));
    client = new TarsyClient(system);
  });
  after(() => resources.disposeAsync());

  for (const name of PROVIDERS) {
    it(`is an investigation with tools by ${name}`, async () => {
      const id = await client.submit("pod shop/checkout was OOMKilled", { alert_type: name });
      const session = await client.waitFor(id, ["completed", "failed"]);
      expect(session.error_message).to.equal(null);
      expect(session.final_analysis).to.equal(ANSWER);
      const result = session.timeline.find(({ event_type }) => event_type === "tool_result");
      expect(result?.content).to.include("demo/files");
    });
  }

  it("says in the session and among the warnings that the tools read example files", async () => {
    const id = await client.submit("pod shop/checkout was OOMKilled");
    const session = await client.request("GET", `/api/v1/sessions/${id}`);
    expect(JSON.stringify(session.body)).to.include("these are example files").and.include("KUBECONFIG");
    const { body } = await client.request("GET", "/api/v1/system/warnings");
    expect(JSON.stringify(body)).to.include("kubernetes-server answers from examples");
  });
});
