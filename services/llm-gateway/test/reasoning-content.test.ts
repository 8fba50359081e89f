import { expect } from "chai";
import { openSseServer } from "../../../test/support/sse-server.ts";
import { message, openGateway } from "./open-gateway.ts";
import { chatRequest, completes, stateOf } from "./wire.ts";

const calling = completes(
  [
    { reasoning_content: "I need " },
    { reasoning_content: "the pods." },
    { tool_calls: [{ index: 0, id: "call_1", function: { name: "a__b", arguments: "{}" } }] },
  ],
  "tool_calls",
);
const done = completes([{ content: "done" }]);
const TOOL_CALLS = [{ id: "call_1", name: "a.b", arguments: "{}" }];

function round(providerState: Buffer) {
  return [
    message("user", "go"),
    message("assistant", "", { toolCalls: TOOL_CALLS, providerState }),
    message("tool", "none", { toolCallId: "call_1", toolName: "a.b" }),
  ];
}

async function opened() {
  const server = await openSseServer([calling, done]);
  const gateway = await openGateway();
  const ask = (messages: ReturnType<typeof round>, model = "deepseek-reasoner") =>
    gateway.ask(chatRequest("openai", `${server.url}/v1`, { messages }, { model }));
  const { chunks } = await ask([message("user", "go")]);
  return {
    server,
    ask,
    state: stateOf(chunks),
    [Symbol.asyncDispose]: async () => {
      await gateway[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

describe("llm-gateway with members of a call beside the standard", () => {
  const extra = { google: { thought_signature: "U0lHTkFUVVJF" } };
  const piece = { index: 0, id: "call_1", function: { name: "a__b", arguments: "{}" } };
  const second = { index: 1, id: "call_2", function: { name: "a__b", arguments: "{}" } };
  const ways: Readonly<Record<string, readonly object[]>> = {
    "in the call": [{ tool_calls: [{ ...piece, extra_content: extra }, second] }],
    "in a piece of their own": [
      { tool_calls: [piece] },
      { tool_calls: [{ index: 0, extra_content: extra }] },
      { tool_calls: [second] },
    ],
    "in a delta of their own, after the call": [
      { tool_calls: [piece] },
      { content: "", extra_content: extra },
      { tool_calls: [second] },
    ],
    "in a delta of their own, before the call": [
      { extra_content: extra },
      { tool_calls: [piece] },
      { tool_calls: [second] },
    ],
  };
  for (const [how, deltas] of Object.entries(ways)) {
    it(`sends them back with their call: ${how}`, async () => {
      await using server = await openSseServer([completes(deltas, "tool_calls"), done]);
      await using gateway = await openGateway();
      const ask = async (messages: ReturnType<typeof round>) =>
        gateway.ask(chatRequest("openai", `${server.url}/v1`, { messages }, { model: "gemini-3-pro" }));
      const { chunks } = await ask([message("user", "go")]);
      const toolCalls = chunks.flatMap(({ content }) =>
        content?.$case === "toolCall" ? [{ ...content.value, id: content.value.callId }] : [],
      );
      const results = toolCalls.map(({ id }) => message("tool", "none", { toolCallId: id, toolName: "a.b" }));
      const answer = message("assistant", "", { toolCalls, providerState: stateOf(chunks) });
      await ask([message("user", "go"), answer, ...results]);
      // Gemini wants the signatures of earlier rounds too.
      await ask([message("user", "go"), answer, ...results, message("user", "and now?")]);
      for (const { body } of server.requests.slice(1)) {
        const sent = JSON.stringify(body);
        expect(sent).to.contain(
          `"id":"call_1","type":"function","function":{"name":"a__b","arguments":"{}"},"extra_content":${JSON.stringify(extra)}`,
        );
        expect(sent.split("extra_content")).to.have.length(2);
      }
    });
  }

  it("shows text that Gemini marks as a thought as thinking", async () => {
    const thought = { content: "Let me see.", extra_content: { google: { thought: true } } };
    await using server = await openSseServer(completes([thought, { content: "Down." }]));
    await using gateway = await openGateway();
    const { text, thinking } = await gateway.ask(chatRequest("openai", `${server.url}/v1`));
    expect({ text, thinking }).to.deep.equal({ text: "Down.", thinking: "Let me see." });
  });

  it("sends a list of reasoning back unchanged, also to a server that is only named by its address", async () => {
    const details = [{ type: "reasoning.encrypted", data: "sealed", index: 0 }];
    const deltas = [{ reasoning_details: details }, { tool_calls: [piece] }];
    await using server = await openSseServer([completes(deltas, "tool_calls"), done]);
    await using gateway = await openGateway();
    const ask = async (messages: ReturnType<typeof round>) =>
      gateway.ask(chatRequest("openai", `${server.url}/v1`, { messages }));
    const { chunks } = await ask([message("user", "go")]);
    await ask(round(stateOf(chunks)));
    expect(JSON.stringify(server.requests[1]?.body)).to.contain(
      `"reasoning_details":${JSON.stringify(details)}`,
    );
  });
});

describe("llm-gateway with servers that require their reasoning back", () => {
  it("sends the reasoning before the calls of the current round", async () => {
    await using open = await opened();
    expect((await open.ask(round(open.state))).text).to.equal("done");
    const call = { id: "call_1", type: "function", function: { name: "a__b", arguments: "{}" } };
    expect(open.server.requests[1]?.body).to.deep.include({
      messages: [
        { role: "user", content: "go" },
        { role: "assistant", content: "", tool_calls: [call], reasoning_content: "I need the pods." },
        { role: "tool", content: "none", tool_call_id: "call_1" },
      ],
    });
  });

  it("sends none of an earlier round, of another model, or that are garbage", async () => {
    await using open = await opened();
    await open.ask([...round(open.state), message("user", "and now?")]);
    await open.ask(round(open.state), "another-model");
    await open.ask(round(Buffer.from("garbage")));
    expect(open.server.requests).to.have.length(4);
    for (const { body } of open.server.requests.slice(1)) {
      expect(JSON.stringify(body)).to.contain("call_1").and.not.to.contain("I need");
    }
  });

  it("omits it after the server has refused it", async () => {
    await using open = await opened();
    await using strict = await openSseServer([
      (reply) => reply.fail(400, { error: { message: "property 'reasoning_content' is unsupported" } }),
      done,
    ]);
    await using gateway = await openGateway();
    const config = { model: "deepseek-reasoner" };
    const answer = await gateway.ask(
      chatRequest("openai", `${strict.url}/v1`, { messages: round(open.state) }, config),
    );
    expect(answer).to.include({ text: "done", error: undefined });
    expect(JSON.stringify(strict.requests[0]?.body)).to.contain("I need the pods.");
    expect(JSON.stringify(strict.requests[1]?.body)).not.to.contain("I need the pods.");
  });
});
