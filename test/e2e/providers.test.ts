import { expect } from "chai";
import { CHAT_SERVERS } from "../../services/llm-gateway/providers/langchain/servers/chat-servers.ts";
import {
  claudeFormat,
  geminiFormat,
  type Frame,
  type Piece,
} from "../../services/llm-gateway/test/wire-formats.ts";
import { describeNightly } from "../support/nightly.ts";
import { PipelineFixture } from "../support/pipeline-fixture.ts";
import { openSseServer, type SseHandler, type SseServer } from "../support/sse-server.ts";
import type { TarsyClient } from "../support/tarsy-client.ts";
import type { TarsySystem } from "../support/tarsy-system.ts";

const KEY = "secret-key-that-must-not-leak";
const CHAT_TYPES = Object.keys(CHAT_SERVERS);

/** A chain of one agent for alerts of this type, which the provider of the same name answers. */
const chain = (provider: string, name: string, iteration_strategy: string) => ({
  alert_types: [provider],
  llm_provider: provider,
  stages: [{ name: "analysis", agents: [{ name, iteration_strategy }] }],
});

const answers =
  (frames: readonly Frame[], isEnd = true): SseHandler =>
  (reply) => {
    for (const { raw } of frames) reply.raw(raw);
    if (isEnd) reply.end();
  };
const claude = (...pieces: readonly Piece[]) => answers(claudeFormat(pieces));
const calls = (name: string, json: string) => ({ call: { name, arguments: json } });

const AWKWARD = {
  type: "object",
  properties: {
    $filter: { type: "string" },
    orders: { type: "array", items: [{ $ref: "#/definitions/order" }] },
  },
  anyOf: [{ required: ["$filter"] }, { required: ["orders"] }],
  definitions: { order: { type: "object", properties: { "by name": { type: "boolean" } } } },
};

describeNightly("an investigation by each kind of provider", () => {
  const resources = new AsyncDisposableStack();
  let gemini: SseServer;
  let anthropic: SseServer;
  let odd: SseServer;
  let local: SseServer;
  let pipeline: PipelineFixture;
  let system: TarsySystem;
  let client: TarsyClient;

  before(async () => {
    const open = async (...handlers: SseHandler[]) => resources.use(await openSseServer(handlers));
    gemini = await open(
      answers(
        geminiFormat([
          { thinking: "The node is " },
          { thinking: "out of disk." },
          { text: "## Root cause\n\nDisk " },
          { text: "💾 full." },
        ]),
      ),
      answers(geminiFormat([{ text: "The disk is full." }])),
      answers(geminiFormat([{ text: "this answer never ends" }]).slice(0, 1), false),
    );
    anthropic = await open(
      claude({ thinking: "Pods first." }, calls("k8s.pods", '{"namespace":"shop"}')),
      claude({ text: "Memory 💾." }),
    );
    odd = await open(
      claude(calls("odd.find", '{"filter":"a eq 1","orders":[{"by_name":true}]}')),
      claude(calls("odd.find", '{"filter":"b"}')),
      claude({ text: "Found." }),
    );
    local = await open((reply, { path }) => {
      reply.data({ choices: [{ delta: { reasoning: "Disk?" } }] });
      reply.data({ choices: [{ delta: { content: `Answered at ${path}` }, finish_reason: "stop" }] });
      reply.end();
    });
    const entry = { max_tool_result_tokens: 10_000 };
    const ofClaude = { ...entry, type: "anthropic", model: "claude-sonnet-4-5" };
    const server = (type: string, path: string) => ({
      ...entry,
      type,
      model: "any-model",
      base_url: `${local.url}/${path}`,
    });
    const plain = (provider: string): [string, object] => [
      `${provider}-chain`,
      chain(provider, "Investigator", "single-call"),
    ];
    const stdio = { transport: { type: "stdio", command: "true" } };
    const started = await PipelineFixture.start({
      config: {
        tarsy: {
          defaults: { llm_provider: "local", alert_type: "local" },
          mcp_servers: { k8s: stdio, odd: stdio },
          agents: { Investigator: { mcp_servers: ["k8s"] }, OddInvestigator: { mcp_servers: ["odd"] } },
          agent_chains: {
            ...Object.fromEntries(["gemini", "local", ...CHAT_TYPES].map(plain)),
            "claude-chain": chain("claude", "Investigator", "native-thinking"),
            "odd-chain": chain("odd", "OddInvestigator", "native-thinking"),
            "kubernetes-agent-chain": {
              ...chain("local", "Investigator", "single-call"),
              alert_types: ["kubernetes"],
            },
          },
        },
        providers: {
          llm_providers: {
            ...Object.fromEntries(CHAT_TYPES.map((type) => [type, server(type, type)])),
            local: server("openai", "v1"),
            gemini: {
              ...entry,
              type: "google",
              model: "gemini-2.5-pro",
              api_key_env: "TEST_GEMINI_KEY",
              base_url: gemini.url,
            },
            claude: { ...ofClaude, base_url: anthropic.url, api_key_env: "TEST_ANTHROPIC_KEY" },
            odd: { ...ofClaude, base_url: odd.url },
          },
        },
        stubTools: {
          servers: {
            k8s: { pods: { description: "Lists pods", read_only: true, results: [{ text: "web-1 down" }] } },
            odd: {
              find: { read_only: true, parameters: JSON.stringify(AWKWARD), results: [{ text: "nothing" }] },
              never: { parameters: JSON.stringify({ type: "object", allOf: [false] }) },
            },
          },
        },
      },
      env: { TEST_GEMINI_KEY: KEY, TEST_ANTHROPIC_KEY: KEY },
    });
    pipeline = resources.use(started);
    ({ system, client } = pipeline);
  });
  after(() => resources.disposeAsync());
  afterEach(function () {
    pipeline.showOutputOf(this.currentTest);
  });

  it("records the thinking, text and usage of Gemini as sent", async () => {
    const { id, watch } = await pipeline.submitWatched("disk alert", { alert_type: "gemini" });
    using _ = watch;
    await watch.next("session.completed");
    const session = await client.session(id);
    expect(session.timeline.map(({ event_type, content }) => [event_type, content])).to.deep.equal([
      ["llm_thinking", "The node is out of disk."],
      ["final_analysis", "## Root cause\n\nDisk 💾 full."],
      ["executive_summary", "The disk is full."],
    ]);
    for (const { event_id, event_type, content } of session.timeline) {
      // The summary is not streamed.
      if (event_type !== "executive_summary") expect(watch.streamed(event_id)).to.equal(content);
    }
    expect(session).to.include({
      executive_summary: "The disk is full.",
      input_tokens: 200,
      output_tokens: 40,
      thinking_tokens: 20,
      total_tokens: 260,
    });
    expect(gemini.requests[0]?.text).to.include("disk alert");
    expect(gemini.requests[1]?.text).to.include("Disk 💾 full.");
  });

  it("closes the provider's socket when the session is cancelled, and exposes the key nowhere", async () => {
    const id = await client.submit("another alert", { alert_type: "gemini" });
    using watch = await client.watch(id, { after_seq: 0 });
    await watch.next("stream.chunk");
    await client.request("POST", `/api/v1/sessions/${id}/cancel`);
    await (
      await gemini.request(2)
    ).closed;
    const session = await client.waitFor(id, ["cancelled"]);
    expect(session.timeline.map(({ status, content }) => [status, content])).to.deep.equal([
      ["cancelled", "this answer never ends"],
    ]);
    expect(system.output + JSON.stringify([session, watch.messages])).to.not.include(KEY);
  });

  it("calls tools for Claude and returns its signed thinking", async () => {
    const id = await client.submit("pods restart", { alert_type: "claude" });
    const session = await client.waitFor(id, ["completed"]);
    const timeline = session.timeline.map(({ event_type, content }) => [event_type, content]);
    expect(timeline[0]).to.deep.equal(["llm_thinking", "Pods first."]);
    expect(timeline).to.deep.include(["tool_result", "web-1 down"]);
    expect(timeline).to.deep.include(["final_analysis", "Memory 💾."]);
    const second = anthropic.requests[1]?.text;
    expect(second).to.contain(
      '{"role":"assistant","content":[{"type":"thinking","thinking":"Pods first.","signature":"c2ln"},{"type":"tool_use","id":"toolu_1","name":"k8s__pods","input":{"namespace":"shop"}}]}',
    );
    expect(second).to.match(
      /\{"type":"tool_result","tool_use_id":"toolu_1","content":"<!-- TOOL_OUTPUT_START \w+ -->\\nweb-1 down\\n<!-- TOOL_OUTPUT_END \w+ -->"\}/u,
    );
    // The agent makes two calls, the summary one.
    expect(session).to.include({ input_tokens: 300, output_tokens: 60, thinking_tokens: 30 });
    expect(system.output).not.to.contain(KEY);
  });

  it("calls tools whose schemas the provider would refuse, and says once which tool is missing", async () => {
    const id = await client.submit("orders fail", { alert_type: "odd" });
    const session = await client.waitFor(id, ["completed"]);
    const of = (type: string) => session.timeline.filter(({ event_type }) => event_type === type);
    expect(of("llm_tool_call").map(({ metadata }) => metadata)).to.containSubset([
      { arguments: { $filter: "a eq 1", orders: [{ "by name": true }] } },
      { arguments: { $filter: "b" } },
    ]);
    expect(of("tool_result").map(({ content }) => content)).to.deep.equal(["nothing", "nothing"]);
    // The model sees its own calls with the names that it was told.
    expect(odd.requests[2]?.text).to.contain('"input":{"filter":"a eq 1","orders":[{"by_name":true}]}');
    expect(of("error").map(({ content }) => content)).to.deep.equal([
      "LLM warning: tools that are not offered to the model: odd.never (its schema accepts no arguments) (code: tools_left_out)",
    ]);
    expect(session).to.include({ degraded: true });
  });

  it("is answered without a key by servers of chat completions of each type", async () => {
    const types = ["local", ...CHAT_TYPES];
    const ids = await Promise.all(types.map((type) => client.submit("disk alert", { alert_type: type })));
    const sessions = await Promise.all(ids.map((id) => client.waitFor(id, ["completed"])));
    for (const [index, { timeline }] of sessions.entries()) {
      const path = types[index] === "local" ? "v1" : types[index];
      expect(timeline.slice(0, 2).map(({ event_type, content }) => [event_type, content])).to.deep.equal([
        ["llm_thinking", "Disk?"],
        ["final_analysis", `Answered at /${path}/chat/completions`],
      ]);
    }
    for (const { headers } of local.requests) expect(headers).not.to.have.any.keys("authorization");
  });
});
