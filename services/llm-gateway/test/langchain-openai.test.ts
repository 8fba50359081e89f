import { expect } from "chai";
import { openSseServer, type SseHandler } from "../../../test/support/sse-server.ts";
import { TEST_KEY, message, openGateway } from "./open-gateway.ts";
import { OPENAI_USAGE, PODS_TOOL, chatRequest, completes, completion, contentsOf, usageOf } from "./wire.ts";

const PATH = "/v1";

async function play(handler: SseHandler, request: object = {}, config: object = {}) {
  await using server = await openSseServer(handler);
  await using gateway = await openGateway();
  const answer = await gateway.ask(chatRequest("openai", `${server.url}${PATH}`, request, config));
  return { ...answer, request: server.requests[0] };
}

const callOf = (fields: object) => ({ tool_calls: [fields] });

describe("llm-gateway with chat completions", () => {
  it("counts the reasoning of a provider that does not include it in the output tokens", async () => {
    const usage = { ...OPENAI_USAGE, total_tokens: 140 };
    const { chunks } = await play((reply) => {
      reply.data(completion({ role: "assistant", content: "x" }, "stop", { usage }));
      reply.end();
    });
    expect(contentsOf(chunks, "usage")).to.deep.equal([usageOf(100, 30, 10, { cachedInputTokens: 40 })]);
  });

  it("requests a stream with usage, and sends the key and nothing else of this machine", async () => {
    const { request } = await play(completes([{ content: "x" }]));
    expect(request?.path).to.equal("/v1/chat/completions");
    expect(request?.headers.authorization).to.equal(`Bearer ${TEST_KEY}`);
    expect(request?.headers).not.to.have.any.keys("openai-organization", "openai-project", "api-key");
    expect(request?.body).to.deep.equal({
      model: "gpt-4o",
      stream: true,
      stream_options: { include_usage: true },
      messages: [{ role: "user", content: "What is wrong with pod web-1?" }],
    });
  });

  it("yields parallel tool calls in order, with their ids, names and merged arguments", async () => {
    const { chunks } = await play(
      completes(
        [
          callOf({
            index: 0,
            id: "call_a",
            type: "function",
            function: { name: "kubernetes__pods_list", arguments: "" },
          }),
          callOf({
            index: 1,
            id: "call_b",
            type: "function",
            function: { name: "kubernetes__pods_list", arguments: "" },
          }),
          callOf({ index: 0, function: { arguments: '{"namespace":' } }),
          callOf({ index: 1, function: { arguments: '{"namespace":"b","id":12345678901234567890}' } }),
          callOf({ index: 0, function: { arguments: '"a"}' } }),
        ],
        "tool_calls",
      ),
      { tools: [PODS_TOOL] },
    );
    expect(contentsOf(chunks, "toolCall")).to.deep.equal([
      { callId: "call_a", name: "kubernetes.pods_list", arguments: '{"namespace":"a"}' },
      {
        callId: "call_b",
        name: "kubernetes.pods_list",
        arguments: '{"namespace":"b","id":12345678901234567890}',
      },
    ]);
  });

  it("sends tools, calls and results in OpenAI's form, the arguments unchanged", async () => {
    const json = '{"namespace":"a","id":12345678901234567890}';
    const toolCalls = [
      { id: "call_a", name: "kubernetes.pods_list", arguments: json },
      { id: "call_b", name: "kubernetes.pods_list", arguments: "not JSON" },
    ];
    const { request } = await play(completes([{ content: "x" }]), {
      tools: [PODS_TOOL, { name: "other.tool", description: "", parametersSchema: "nonsense" }],
      messages: [
        message("system", "You investigate."),
        message("user", "go"),
        message("assistant", "", { toolCalls }),
        message("tool", "two pods", { toolCallId: "call_b", toolName: "kubernetes.pods_list" }),
        message("tool", "", { toolCallId: "call_a", toolName: "kubernetes.pods_list" }),
        message("assistant", ""),
        message("user", "and?"),
      ],
    });
    const sent = (id: string, args: string) => ({
      id,
      type: "function",
      function: { name: "kubernetes__pods_list", arguments: args },
    });
    expect(request?.body).to.deep.include({
      messages: [
        { role: "system", content: "You investigate." },
        { role: "user", content: "go" },
        { role: "assistant", content: "", tool_calls: [sent("call_a", json), sent("call_b", "{}")] },
        { role: "tool", content: "", tool_call_id: "call_a" },
        { role: "tool", content: "two pods", tool_call_id: "call_b" },
        { role: "user", content: "and?" },
      ],
      tools: [
        {
          type: "function",
          function: {
            name: "kubernetes__pods_list",
            description: "Lists pods",
            parameters: { type: "object", properties: { namespace: { type: "string" } } },
          },
        },
        {
          type: "function",
          function: { name: "other__tool", description: "", parameters: { type: "object", properties: {} } },
        },
      ],
    });
  });

  it("makes up a missing result and keeps one without a call", async () => {
    const { request } = await play(completes([{ content: "x" }]), {
      messages: [
        message("user", "go"),
        message("assistant", "", {
          toolCalls: [{ id: "long ".repeat(20), name: "a.b", arguments: "{}" }],
        }),
        message("tool", "stray", { toolCallId: "unknown", toolName: "c.d" }),
      ],
    });
    const body = JSON.stringify(request?.body);
    const id = /"tool_call_id":"(?<id>[\w-]{1,40})"/u.exec(body)?.groups?.["id"];
    expect(body).to.contain(`"tool_calls":[{"id":"${id}"`);
    expect(body).to.contain("There is no result of this call.").and.to.contain("Result of c.d:\\nstray");
  });
});

describe("llm-gateway with servers that only resemble OpenAI's", () => {
  it("reads an answer without roles, usage, spaces, ids or [DONE]", async () => {
    const { text, error, chunks } = await play((reply) => {
      reply.raw('data:{"choices":[{"delta":{"content":"It "}}]}\n\n');
      reply.raw(': ping\r\n\r\nevent: message\r\ndata:{"choices":[{"delta":{"content":"is"}}]}\r\n\r\n');
      reply.raw('data:{"choices":[{"delta":{"content":null},"finish_reason":"stop"}]}\n\n');
      reply.end();
    });
    expect({ text, error }).to.deep.equal({ text: "It is", error: undefined });
    expect(contentsOf(chunks, "usage")).to.deep.equal([]);
  });

  it("treats [DONE] as the end when there is no finish reason", async () => {
    const { text, error } = await play((reply) => {
      reply.data(completion({ role: "assistant", content: "done" }));
      reply.raw("data:[DONE]\n\n");
      reply.end();
    });
    expect({ text, error }).to.deep.equal({ text: "done", error: undefined });
  });

  it("reads a last chunk without a delta, content in parts, and a whole message", async () => {
    const { text, thinking, error } = await play((reply) => {
      const thought = { type: "thinking", thinking: [{ type: "text", text: "hm" }] };
      reply.data({ choices: [{ delta: { content: [thought, { type: "text", text: "a" }] } }] });
      reply.data({ choices: [{ message: { role: "assistant", content: "b" } }] });
      reply.data({ choices: [{ finish_reason: "stop" }] });
      reply.end();
    });
    expect({ text, thinking, error }).to.deep.equal({ text: "ab", thinking: "hm", error: undefined });
  });

  it("gives a call a new id when the conversation already uses its id", async () => {
    const toolCalls = [{ id: "call_0", name: "a.b", arguments: "{}" }];
    const { chunks } = await play(
      completes(
        [callOf({ index: 0, id: "call_0", function: { name: "a__b", arguments: "{}" } })],
        "tool_calls",
      ),
      {
        messages: [
          message("user", "go"),
          message("assistant", "", { toolCalls }),
          message("tool", "ok", { toolCallId: "call_0", toolName: "a.b" }),
        ],
      },
    );
    expect(JSON.stringify(contentsOf(chunks, "toolCall"))).not.to.contain('"call_0"');
  });

  it("adds no state to an answer without calls or without reasoning", async () => {
    for (const handler of [
      completes([{ content: "x", reasoning_content: "y" }]),
      completes([callOf({ index: 0, id: "a", function: { name: "a__b", arguments: "{}" } })], "tool_calls"),
    ]) {
      const { chunks, error } = await play(handler);
      expect(error).to.equal(undefined);
      expect(contentsOf(chunks, "providerState")).to.deep.equal([]);
    }
  });

  it("keeps the query of a base_url", async () => {
    await using server = await openSseServer(completes([{ content: "x" }]));
    await using gateway = await openGateway();
    const url = `${server.url}/openai/v1?api-version=preview`;
    expect((await gateway.ask(chatRequest("openai", url))).text).to.equal("x");
    expect(server.requests[0]?.path).to.equal("/openai/v1/chat/completions?api-version=preview");
  });
});
