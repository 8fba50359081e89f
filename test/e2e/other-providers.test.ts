import { expect } from "chai";
import { openSseServer, type SseReply, type SseServer } from "../support/sse-server.ts";
import { PipelineFixture } from "../support/pipeline-fixture.ts";
import type { TarsyClient } from "../support/tarsy-client.ts";
import type { TarsySystem } from "../support/tarsy-system.ts";

const KEY = "secret-key-that-must-not-leak";

const chain = (alertType: string, provider: string, strategy: string) => ({
  alert_types: [alertType],
  llm_provider: provider,
  stages: [{ name: "analysis", agents: [{ name: "Investigator", iteration_strategy: strategy }] }],
});

/** Sends a complete Anthropic answer: blocks, each with its deltas. */
function claude(
  reply: SseReply,
  blocks: readonly [start: object, ...deltas: object[]][],
  stopReason: string,
): void {
  const event = (type: string, fields: object) => reply.event({ type, ...fields });
  event("message_start", {
    message: { id: "msg_1", role: "assistant", content: [], usage: { input_tokens: 50, output_tokens: 1 } },
  });
  for (const [index, [start, ...deltas]] of blocks.entries()) {
    event("content_block_start", { index, content_block: start });
    for (const delta of deltas) event("content_block_delta", { index, delta });
    event("content_block_stop", { index });
  }
  event("message_delta", { delta: { stop_reason: stopReason }, usage: { output_tokens: 20 } });
  event("message_stop", {});
  reply.end();
}

const AWKWARD = {
  type: "object",
  properties: {
    $filter: { type: "string" },
    orders: { type: "array", items: [{ $ref: "#/definitions/order" }] },
  },
  anyOf: [{ required: ["$filter"] }, { required: ["orders"] }],
  definitions: { order: { type: "object", properties: { "by name": { type: "boolean" } } } },
};

/** An answer of Claude with one call of a tool. */
const callsTool = (id: string, name: string, json: string) => (reply: SseReply) =>
  claude(
    reply,
    [
      [
        { type: "tool_use", id, name, input: {} },
        { type: "input_json_delta", partial_json: json },
      ],
    ],
    "tool_use",
  );

describe("an investigation by other providers", () => {
  const resources = new AsyncDisposableStack();
  let anthropic: SseServer;
  let local: SseServer;
  let odd: SseServer;
  let pipeline: PipelineFixture;
  let system: TarsySystem;
  let client: TarsyClient;

  before(async () => {
    anthropic = resources.use(
      await openSseServer([
        (reply) =>
          claude(
            reply,
            [
              [
                { type: "thinking", thinking: "", signature: "" },
                { type: "thinking_delta", thinking: "Pods first." },
                { type: "signature_delta", signature: "signed-1" },
              ],
              [
                { type: "tool_use", id: "toolu_1", name: "k8s__pods", input: {} },
                { type: "input_json_delta", partial_json: '{"namespace":"shop"}' },
              ],
            ],
            "tool_use",
          ),
        (reply) =>
          claude(
            reply,
            [
              [
                { type: "text", text: "" },
                { type: "text_delta", text: "Memory 💾." },
              ],
            ],
            "end_turn",
          ),
      ]),
    );
    local = resources.use(
      await openSseServer((reply) => {
        reply.data({ choices: [{ delta: { reasoning: "Disk?" } }] });
        reply.data({ choices: [{ delta: { content: "Disk full." }, finish_reason: "stop" }] });
        reply.end();
      }),
    );
    odd = resources.use(
      await openSseServer([
        callsTool("toolu_1", "odd__find", '{"filter":"a eq 1","orders":[{"by_name":true}]}'),
        callsTool("toolu_2", "odd__find", '{"filter":"b"}'),
        (reply) =>
          claude(
            reply,
            [
              [
                { type: "text", text: "" },
                { type: "text_delta", text: "Found." },
              ],
            ],
            "end_turn",
          ),
      ]),
    );
    const entry = { max_tool_result_tokens: 10_000 };
    const started = await PipelineFixture.start({
      config: {
        tarsy: {
          defaults: { llm_provider: "local", alert_type: "plain" },
          mcp_servers: {
            k8s: { transport: { type: "stdio", command: "true" } },
            odd: { transport: { type: "stdio", command: "true" } },
          },
          agents: { Investigator: { mcp_servers: ["k8s"] }, OddInvestigator: { mcp_servers: ["odd"] } },
          agent_chains: {
            "plain-chain": chain("plain", "local", "single-call"),
            "claude-chain": chain("claude", "claude", "native-thinking"),
            "odd-chain": {
              ...chain("odd", "odd", "native-thinking"),
              stages: [
                {
                  name: "analysis",
                  agents: [{ name: "OddInvestigator", iteration_strategy: "native-thinking" }],
                },
              ],
            },
            "kubernetes-agent-chain": chain("kubernetes", "local", "single-call"),
          },
        },
        providers: {
          llm_providers: {
            local: { ...entry, type: "openai", model: "qwen3:32b", base_url: `${local.url}/v1` },
            claude: {
              ...entry,
              type: "anthropic",
              model: "claude-sonnet-4-5",
              base_url: anthropic.url,
              api_key_env: "TEST_ANTHROPIC_KEY",
            },
            odd: { ...entry, type: "anthropic", model: "claude-sonnet-4-5", base_url: odd.url },
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
      env: { TEST_ANTHROPIC_KEY: KEY },
    });
    pipeline = resources.use(started);
    ({ system, client } = pipeline);
  });
  after(() => resources.disposeAsync());
  afterEach(function () {
    pipeline.showOutputOf(this.currentTest);
  });

  const timelineOf = async (id: string) => {
    const { timeline } = await client.waitFor(id, ["completed"]);
    return timeline.map(({ event_type, content }) => [event_type, content]);
  };

  it("calls tools for Claude and returns its signed thinking", async () => {
    const id = await client.submit("pods restart", { alert_type: "claude" });
    const timeline = await timelineOf(id);
    expect(timeline[0]).to.deep.equal(["llm_thinking", "Pods first."]);
    expect(timeline).to.deep.include(["tool_result", "web-1 down"]);
    expect(timeline).to.deep.include(["final_analysis", "Memory 💾."]);
    const second = JSON.stringify(anthropic.requests[1]?.body);
    expect(second).to.contain(
      '{"role":"assistant","content":[{"type":"thinking","thinking":"Pods first.","signature":"signed-1"},{"type":"tool_use","id":"toolu_1","name":"k8s__pods","input":{"namespace":"shop"}}]}',
    );
    expect(second).to.match(
      /\{"type":"tool_result","tool_use_id":"toolu_1","content":"<!-- TOOL_OUTPUT_START \w+ -->\\nweb-1 down\\n<!-- TOOL_OUTPUT_END \w+ -->"\}/u,
    );
    // The agent makes two calls, the summary one.
    expect(await client.session(id)).to.include({ input_tokens: 150, output_tokens: 60 });
    expect(system.output).not.to.contain(KEY);
  });

  it("calls tools whose schemas the provider would refuse, and says once which tool is missing", async () => {
    const id = await client.submit("orders fail", { alert_type: "odd" });
    const { timeline } = await client.waitFor(id, ["completed"]);
    const calls = timeline.filter(({ event_type }) => event_type === "llm_tool_call");
    expect(calls.map(({ metadata }) => metadata)).to.containSubset([
      { arguments: { $filter: "a eq 1", orders: [{ "by name": true }] } },
      { arguments: { $filter: "b" } },
    ]);
    const results = timeline.filter(({ event_type }) => event_type === "tool_result");
    expect(results.map(({ content }) => content)).to.deep.equal(["nothing", "nothing"]);
    // The model sees its own calls with the names that it was told.
    expect(JSON.stringify(odd.requests[2]?.body)).to.contain(
      '"input":{"filter":"a eq 1","orders":[{"by_name":true}]}',
    );
    const errors = timeline.filter(({ event_type }) => event_type === "error");
    expect(errors.map(({ content }) => content)).to.deep.equal([
      "LLM warning: tools that are not offered to the model: odd.never (its schema accepts no arguments) (code: tools_left_out)",
    ]);
    expect(await client.session(id)).to.include({ degraded: true });
  });

  it("calls a self-hosted server without a key", async () => {
    const id = await client.submit("disk alert", { alert_type: "plain" });
    expect((await timelineOf(id)).slice(0, 2)).to.deep.equal([
      ["llm_thinking", "Disk?"],
      ["final_analysis", "Disk full."],
    ]);
    expect(local.requests[0]?.headers).not.to.have.any.keys("authorization");
  });
});
