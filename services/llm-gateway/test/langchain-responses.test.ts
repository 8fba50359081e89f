import { expect } from "chai";
import { openSseServer, type SseHandler } from "../../../test/support/sse-server.ts";
import { message, openGateway } from "./open-gateway.ts";
import { PODS_TOOL, chatRequest, named, stateOf } from "./wire.ts";

const REASONING = {
  id: "rs_1",
  type: "reasoning",
  summary: [{ type: "summary_text", text: "I need the pods." }],
  encrypted_content: "sealed-1",
};
const CALL = { id: "fc_1", type: "function_call", call_id: "call_1", name: "kubernetes__pods_list" };

const callPods: SseHandler = (reply) => {
  const item = { ...REASONING, summary: [], encrypted_content: "early" };
  reply.event(
    named("response.created", { response: { id: "resp_1", model: "gpt-5", status: "in_progress" } }),
  );
  reply.event(named("response.in_progress", { response: { id: "resp_1", status: "in_progress" } }));
  reply.event(named("response.output_item.added", { output_index: 0, item }));
  const part = { item_id: "rs_1", output_index: 0, summary_index: 0 };
  reply.event(
    named("response.reasoning_summary_part.added", { ...part, part: { type: "summary_text", text: "" } }),
  );
  for (const delta of ["I need ", "the pods."]) {
    reply.event(named("response.reasoning_summary_text.delta", { ...part, delta }));
  }
  reply.event(named("response.output_item.done", { output_index: 0, item: REASONING }));
  reply.event(
    named("response.output_item.added", {
      output_index: 1,
      item: { id: "msg_1", type: "message", status: "in_progress", role: "assistant", content: [] },
    }),
  );
  reply.event(
    named("response.output_text.delta", {
      item_id: "msg_1",
      output_index: 1,
      content_index: 0,
      delta: "Looking.",
    }),
  );
  reply.event(named("response.output_item.added", { output_index: 2, item: { ...CALL, arguments: "" } }));
  for (const delta of ['{"name', 'space":"a","id":12345678901234567890}']) {
    reply.event(named("response.function_call_arguments.delta", { item_id: "fc_1", output_index: 2, delta }));
  }
  const output = [
    { ...REASONING, status: null },
    {
      id: "msg_1",
      type: "message",
      status: "completed",
      role: "assistant",
      phase: "commentary",
      content: [{ type: "output_text", text: "Looking.", annotations: [], logprobs: [] }],
    },
    { ...CALL, status: "completed", arguments: ARGUMENTS },
  ];
  const usage = {
    input_tokens: 50,
    input_tokens_details: { cached_tokens: 20 },
    output_tokens: 30,
    output_tokens_details: { reasoning_tokens: 10 },
    total_tokens: 80,
  };
  reply.event(
    named("response.completed", {
      response: {
        id: "resp_1",
        object: "response",
        status: "completed",
        error: null,
        incomplete_details: null,
        output,
        usage,
      },
    }),
  );
  reply.end();
};
const ARGUMENTS = '{"namespace":"a","id":12345678901234567890}';
const TOOL_CALLS = [{ id: "call_1", name: "kubernetes.pods_list", arguments: ARGUMENTS }];

const answerDone: SseHandler = (reply) => {
  reply.event(named("response.output_text.delta", { output_index: 0, content_index: 0, delta: "done" }));
  reply.event(named("response.completed", { response: { id: "resp_2", status: "completed", output: [] } }));
  reply.end();
};

async function play(handlers: SseHandler | SseHandler[], request: object = {}, model = "gpt-5") {
  await using server = await openSseServer(handlers);
  await using gateway = await openGateway();
  const answer = await gateway.ask(
    chatRequest("openai", `${server.url}/v1/responses`, { tools: [PODS_TOOL], ...request }, { model }),
  );
  return { ...answer, requests: server.requests };
}

function conversation(providerState: Buffer, content = "Looking.") {
  return [
    message("system", "You investigate."),
    message("user", "go"),
    message("assistant", content, { toolCalls: TOOL_CALLS, providerState }),
    message("tool", "pod-1", { toolCallId: "call_1", toolName: "kubernetes.pods_list" }),
  ];
}

describe("llm-gateway with the Responses API", () => {
  it("requests that nothing is stored and that the encrypted reasoning is returned", async () => {
    const { requests } = await play(answerDone, { messages: [message("user", "go")] });
    expect(requests[0]?.path).to.equal("/v1/responses");
    expect(requests[0]?.body).to.deep.equal({
      model: "gpt-5",
      stream: true,
      store: false,
      include: ["reasoning.encrypted_content"],
      reasoning: { summary: "auto" },
      text: {},
      input: [{ type: "message", role: "user", content: "go" }],
      tools: [
        {
          type: "function",
          name: "kubernetes__pods_list",
          description: "Lists pods",
          parameters: { type: "object", properties: { namespace: { type: "string" } } },
          strict: false,
        },
      ],
    });
  });

  it("sends the reasoning back at its position, the rest rebuilt from the message", async () => {
    const { chunks } = await play(callPods);
    const { requests } = await play(answerDone, { messages: conversation(stateOf(chunks)) });
    expect(requests[0]?.body).to.deep.include({
      input: [
        { type: "message", role: "developer", content: "You investigate." },
        { type: "message", role: "user", content: "go" },
        REASONING,
        {
          type: "message",
          role: "assistant",
          phase: "commentary",
          content: [{ type: "output_text", text: "Looking.", annotations: [] }],
        },
        { type: "function_call", call_id: "call_1", name: "kubernetes__pods_list", arguments: ARGUMENTS },
        { type: "function_call_output", call_id: "call_1", output: "pod-1" },
      ],
    });
  });

  it("omits reasoning that is missing, another model's, or no longer before the item that followed it", async () => {
    const { chunks } = await play(callPods);
    const state = stateOf(chunks);
    for (const [messages, model] of [
      [conversation(Buffer.alloc(0)), "gpt-5"],
      [conversation(Buffer.from("{")), "gpt-5"],
      [conversation(state), "o3"],
      [conversation(state, "Changed since."), "gpt-5"],
    ] as const) {
      const { requests, text } = await play(answerDone, { messages }, model);
      expect(text).to.equal("done");
      expect(JSON.stringify(requests[0]?.body)).to.contain('"function_call"').and.not.to.contain("sealed-1");
    }
  });

  it("asks again without reasoning where the provider refuses it", async () => {
    const { chunks } = await play(callPods);
    for (const text of [
      "Your organization must be verified to generate reasoning summaries.",
      "The encrypted content gAAA... could not be verified.",
    ]) {
      const refuse: SseHandler = (reply) =>
        reply.fail(400, { error: { message: text, type: "invalid_request_error", param: null, code: null } });
      const answer = await play([refuse, answerDone], { messages: conversation(stateOf(chunks)) });
      expect(answer).to.include({ text: "done", error: undefined });
      expect(answer.requests).to.have.length(2);
      expect(answer.requests[1]?.body).not.to.have.any.keys("reasoning", "include");
      expect(JSON.stringify(answer.requests[1]?.body)).not.to.contain("sealed-1");
    }
  });

  it("reports a refusal", async () => {
    const { error } = await play((reply) => {
      reply.event(
        named("response.refusal.done", { output_index: 0, content_index: 0, refusal: "I cannot." }),
      );
      reply.event(named("response.completed", { response: { id: "r", status: "completed", output: [] } }));
      reply.end();
    });
    expect(error).to.deep.include({ code: "content_blocked", retryable: false });
    expect(error?.message).to.contain("I cannot.");
  });
});
