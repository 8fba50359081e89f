import { expect } from "chai";
import { openSseServer, type SseHandler } from "../../../test/support/sse-server.ts";
import { TEST_KEY, message, openGateway } from "./open-gateway.ts";
import {
  PODS_TOOL,
  block,
  callsTool,
  chatRequest,
  contentsOf,
  messageStart,
  messageStop,
  named,
  says,
  stateOf,
  thinks,
  usageOf,
} from "./wire.ts";

async function play(handler: SseHandler, request: object = {}, config: object = {}) {
  await using server = await openSseServer(handler);
  await using gateway = await openGateway();
  const answer = await gateway.ask(chatRequest("anthropic", server.url, request, config));
  return { ...answer, request: server.requests[0], requests: server.requests };
}

const answerDone: SseHandler = (reply) => {
  messageStart(reply);
  says(reply, 0, "done");
  messageStop(reply, "end_turn");
};

const callPods: SseHandler = (reply) => {
  messageStart(reply);
  thinks(reply, 0, "I need the pods.", "sig-1");
  block(reply, 1, { type: "redacted_thinking", data: "sealed" }, []);
  says(reply, 2, "Looking.");
  callsTool(reply, 3, "toolu_1", "kubernetes__pods_list", '{"namespace":"a"}');
  callsTool(reply, 4, "toolu_2", "kubernetes__pods_list", "");
  messageStop(reply, "tool_use", { output_tokens: 25, output_tokens_details: { thinking_tokens: 5 } });
};

const ASSISTANT_BLOCKS = [
  { type: "thinking", thinking: "I need the pods.", signature: "sig-1" },
  { type: "redacted_thinking", data: "sealed" },
  { type: "text", text: "Looking." },
  { type: "tool_use", id: "toolu_1", name: "kubernetes__pods_list", input: { namespace: "a" } },
  { type: "tool_use", id: "toolu_2", name: "kubernetes__pods_list", input: {} },
];
const TOOL_CALLS = [
  { id: "toolu_1", name: "kubernetes.pods_list", arguments: '{"namespace":"a"}' },
  { id: "toolu_2", name: "kubernetes.pods_list", arguments: "{}" },
];
const RESULTS = [
  message("tool", "pod-1", { toolCallId: "toolu_1", toolName: "kubernetes.pods_list" }),
  message("tool", "", { toolCallId: "toolu_2", toolName: "kubernetes.pods_list" }),
];
const SENT_RESULTS = [
  { type: "tool_result", tool_use_id: "toolu_1", content: "pod-1" },
  { type: "tool_result", tool_use_id: "toolu_2", content: "(no output)" },
];

describe("llm-gateway with Anthropic", () => {
  it("sends the key, the system prompt separately, tools, and thinking", async () => {
    const { request } = await play(answerDone, {
      messages: [message("system", "You investigate."), message("user", "go"), message("user", "now")],
      tools: [PODS_TOOL],
    });
    expect(request?.path).to.equal("/v1/messages");
    expect(request?.headers).to.include({ "x-api-key": TEST_KEY, "anthropic-version": "2023-06-01" });
    expect(request?.headers).not.to.have.any.keys("authorization");
    expect(request?.body).to.deep.equal({
      model: "claude-sonnet-4-5",
      max_tokens: 32_000,
      thinking: { type: "enabled", budget_tokens: 16_000 },
      stream: true,
      system: "You investigate.",
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "go" },
            { type: "text", text: "now" },
          ],
        },
      ],
      tools: [
        {
          name: "kubernetes__pods_list",
          description: "Lists pods",
          input_schema: { type: "object", properties: { namespace: { type: "string" } } },
        },
      ],
    });
  });

  it("sends signed thinking back at its position, before all results of the turn", async () => {
    const { chunks } = await play(callPods, { tools: [PODS_TOOL] });
    const { request } = await play(answerDone, {
      tools: [PODS_TOOL],
      messages: [
        message("user", "go"),
        message("assistant", "Looking.", { toolCalls: TOOL_CALLS, providerState: stateOf(chunks) }),
        ...RESULTS,
        message("user", "hurry"),
      ],
    });
    expect(request?.body).to.deep.include({
      messages: [
        { role: "user", content: [{ type: "text", text: "go" }] },
        { role: "assistant", content: ASSISTANT_BLOCKS },
        { role: "user", content: [...SENT_RESULTS, { type: "text", text: "hurry" }] },
      ],
    });
  });

  it("keeps every signature over ten turns of calls", async () => {
    const turn =
      (n: number): SseHandler =>
      (reply) => {
        messageStart(reply);
        thinks(reply, 0, `thought ${n}`, `sig-${n}`);
        callsTool(reply, 1, `toolu_${n}`, "kubernetes__pods_list", `{"n":${n}}`);
        messageStop(reply, "tool_use");
      };
    await using server = await openSseServer(Array.from({ length: 10 }, (_, n) => turn(n)));
    await using gateway = await openGateway();
    const messages = [message("user", "go")];
    for (let n = 0; n < 10; n += 1) {
      const { chunks, error } = await gateway.ask(
        chatRequest("anthropic", server.url, { messages, tools: [PODS_TOOL] }),
      );
      expect(error).to.equal(undefined);
      const toolCalls = [{ id: `toolu_${n}`, name: PODS_TOOL.name, arguments: `{"n":${n}}` }];
      messages.push(
        message("assistant", "", { toolCalls, providerState: stateOf(chunks) }),
        message("tool", `result ${n}`, { toolCallId: `toolu_${n}`, toolName: PODS_TOOL.name }),
      );
    }
    const last = JSON.stringify(server.requests[9]?.body);
    for (let n = 0; n < 9; n += 1) {
      expect(last).to.contain(
        `{"role":"assistant","content":[{"type":"thinking","thinking":"thought ${n}","signature":"sig-${n}"},{"type":"tool_use","id":"toolu_${n}"`,
      );
    }
  });

  for (const [what, state] of [
    ["missing", Buffer.alloc(0)],
    ["garbage", Buffer.from("garbage")],
    ["another model's", Buffer.from(stateText("claude-opus-4-1", true))],
    ["of a request that did not think", Buffer.from(stateText("claude-sonnet-4-5", false))],
  ] as const) {
    it(`does not think in the middle of a round of calls whose state is ${what}`, async () => {
      const { request } = await play(answerDone, {
        tools: [PODS_TOOL],
        messages: [
          message("user", "go"),
          message("assistant", "Looking.", { toolCalls: TOOL_CALLS, providerState: state }),
          ...RESULTS,
        ],
      });
      expect(request?.body).to.deep.include({
        messages: [
          { role: "user", content: [{ type: "text", text: "go" }] },
          { role: "assistant", content: ASSISTANT_BLOCKS.slice(2) },
          { role: "user", content: SENT_RESULTS },
        ],
      });
      expect(request?.body).not.to.have.property("thinking");
    });
  }

  it("sends a refused conversation again without its thinking", async () => {
    const { chunks } = await play(callPods, { tools: [PODS_TOOL] });
    const refuse: SseHandler = (reply) =>
      reply.fail(400, {
        type: "error",
        error: {
          type: "invalid_request_error",
          message: "messages.1.content.0: Invalid `signature` in `thinking` block",
        },
      });
    await using server = await openSseServer([refuse, answerDone]);
    await using gateway = await openGateway();
    const { text, error } = await gateway.ask(
      chatRequest("anthropic", server.url, {
        tools: [PODS_TOOL],
        messages: [
          message("user", "go"),
          message("assistant", "Looking.", { toolCalls: TOOL_CALLS, providerState: stateOf(chunks) }),
          ...RESULTS,
        ],
      }),
    );
    expect({ text, error }).to.deep.equal({ text: "done", error: undefined });
    expect(JSON.stringify(server.requests[1]?.body)).not.to.contain("sig-1").and.not.to.contain("budget");
  });

  it("declares the tools that a conversation has used when a call binds none", async () => {
    const { request } = await play(answerDone, {
      messages: [message("user", "go"), message("assistant", "", { toolCalls: TOOL_CALLS }), ...RESULTS],
    });
    expect(request?.body).to.deep.include({ tool_choice: { type: "none" } });
    expect(JSON.stringify(request?.body)).to.contain('"tools":[{"name":"kubernetes__pods_list"');
  });

  it("keeps a tool whose schema is a choice", async () => {
    const schema = {
      type: "object",
      properties: { a: {}, b: {} },
      anyOf: [{ required: ["a"] }, { required: ["b"] }],
    };
    const { request } = await play(answerDone, {
      tools: [{ name: "a.b", description: "Does.", parametersSchema: JSON.stringify(schema) }],
    });
    const description =
      "Does.\n\nThe arguments are one of these sets: (1) required a; optional b (2) required b; optional a";
    expect(request?.body).to.deep.include({
      tools: [{ name: "a__b", description, input_schema: { type: "object", properties: { a: {}, b: {} } } }],
    });
  });

  it("sends no text without a visible character", async () => {
    const { request } = await play(answerDone, {
      messages: [
        message("system", " "),
        message("user", "go"),
        message("assistant", "\n"),
        message("user", " "),
        message("user", "on"),
      ],
    });
    expect(request?.body).to.deep.include({
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "go" },
            { type: "text", text: "on" },
          ],
        },
      ],
    });
    expect(request?.body).not.to.have.property("system");
  });

  it("says that the address is wrong where it answers 404 without a body", async () => {
    const { error } = await play((reply) => reply.fail(404, ""));
    expect(error).to.deep.include({ code: "invalid_request", retryable: false });
    expect(error?.message).to.contain("no such API at this address (404)");
  });

  it("reports a failure in the stream in whatever form it comes, and passes over events of other APIs", async () => {
    for (const line of [
      'data: {"type":"error","error":{"type":"overloaded_error","message":"busy"}}',
      'data: {"error":{"message":"busy"}}',
      '{"error":{"message":"busy"}}',
      "event: error\ndata: busy",
    ]) {
      const { text, error } = await play((reply) => {
        messageStart(reply);
        says(reply, 0, "half");
        reply.raw(`event: done\ndata: [DONE]\n\ndata: [DONE]\n\n${line}\n\n`);
        reply.end();
      });
      expect(text).to.equal("half");
      expect(error?.code).to.equal("partial_stream_error");
      expect(error?.message).to.contain("busy");
    }
  });

  it("reads a server whose events have no names and whose usage comes at the end", async () => {
    const { text, error, chunks } = await play((reply) => {
      reply.data(named("message_start", { message: { role: "assistant", content: [] } }));
      reply.data(named("content_block_start", { index: 0, content_block: { type: "text", text: "" } }));
      reply.data(named("content_block_delta", { index: 0, delta: { type: "text_delta", text: "x" } }));
      reply.data(
        named("message_delta", {
          delta: { stop_reason: "end_turn" },
          usage: { input_tokens: 7, output_tokens: 2 },
        }),
      );
      reply.data({ type: "message_stop" });
      reply.end();
    });
    expect({ text, error }).to.deep.equal({ text: "x", error: undefined });
    expect(contentsOf(chunks, "usage")).to.deep.equal([usageOf(7, 2, 0)]);
  });
});

function stateText(model: string, thinking: boolean): string {
  const parts = [{ text: 8 }, { call: "toolu_1" }, { call: "toolu_2" }];
  return JSON.stringify({ v: 1, provider: "anthropic", model, thinking, parts });
}
