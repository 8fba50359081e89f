import { expect } from "chai";
import { openSseServer, type SseHandler } from "../../../test/support/sse-server.ts";
import { openGateway } from "./open-gateway.ts";
import {
  PODS_TOOL,
  chatRequest,
  completes,
  completion,
  messageStart,
  messageStop,
  named,
  says,
} from "./wire.ts";

const WORDS = "I'm sorry, I can't help with that.";

async function ask(
  provider: string,
  path: string,
  handler: SseHandler | readonly SseHandler[],
  request: object = { tools: [PODS_TOOL] },
) {
  await using server = await openSseServer(handler);
  await using gateway = await openGateway();
  const answer = await gateway.ask(chatRequest(provider, `${server.url}${path}`, request));
  return { ...answer, requests: server.requests.length };
}

describe("llm-gateway with a model that refuses to answer", () => {
  const refusals: Readonly<Record<string, readonly [string, string, SseHandler]>> = {
    "pieces of a chat completion": [
      "openai",
      "/v1",
      completes([
        { content: null, refusal: "" },
        { refusal: "I'm sorry, " },
        { refusal: "I can't help with that." },
      ]),
    ],
    "a whole message of a chat completion": [
      "openrouter",
      "/v1",
      (reply) => {
        reply.data({ choices: [{ message: { content: null, refusal: WORDS }, finish_reason: "stop" }] });
        reply.end();
      },
    ],
    "pieces of the Responses API, and all of it in the end": [
      "openai",
      "/v1/responses",
      (reply) => {
        const part = { type: "refusal", refusal: WORDS };
        const item = { type: "message", id: "msg_1", role: "assistant", content: [part] };
        reply.event(named("response.refusal.delta", { output_index: 0, content_index: 0, delta: WORDS }));
        reply.event(named("response.refusal.done", { output_index: 0, content_index: 0, refusal: WORDS }));
        reply.event(named("response.content_part.done", { output_index: 0, content_index: 0, part }));
        reply.event(named("response.output_item.done", { output_index: 0, item }));
        reply.event(
          named("response.completed", { response: { id: "r", status: "completed", output: [item] } }),
        );
        reply.end();
      },
    ],
    "the last event of the Responses API": [
      "openai",
      "/v1/responses",
      (reply) => {
        const item = {
          type: "message",
          id: "msg_1",
          role: "assistant",
          content: [{ type: "refusal", refusal: WORDS }],
        };
        reply.event(
          named("response.completed", { response: { id: "r", status: "completed", output: [item] } }),
        );
        reply.end();
      },
    ],
    "an item of the Responses API": [
      "openai",
      "/v1/responses",
      (reply) => {
        const item = { type: "refusal", refusal: WORDS };
        reply.event(named("response.output_item.done", { output_index: 0, item }));
        reply.event(
          named("response.completed", { response: { id: "r", status: "completed", output: [item] } }),
        );
        reply.end();
      },
    ],
    "the end of Claude's answer": [
      "anthropic",
      "",
      (reply) => {
        messageStart(reply);
        const delta = { stop_reason: "refusal", stop_details: { type: "refusal", explanation: WORDS } };
        reply.event(named("message_delta", { delta, usage: { output_tokens: 1 } }));
        reply.event({ type: "message_stop" });
        reply.end();
      },
    ],
  };
  for (const [where, [provider, path, handler]] of Object.entries(refusals)) {
    it(`says its words once: in ${where}`, async () => {
      const { text, error, requests } = await ask(provider, path, handler);
      expect({ text, requests }).to.deep.equal({ text: "", requests: 1 });
      expect(error).to.deep.include({ code: "content_blocked", retryable: false });
      expect(error?.message).to.match(/refused to answer: I'm sorry, I can't help with that\.$/u);
    });
  }

  it("says that Claude refused after it began", async () => {
    const { error } = await ask("anthropic", "", (reply) => {
      messageStart(reply);
      says(reply, 0, "Well, ");
      messageStop(reply, "refusal");
    });
    expect(error).to.deep.include({ code: "content_blocked", retryable: false });
  });
});

describe("llm-gateway with a router whose provider has failed", () => {
  for (const [native, code] of [
    ["MALFORMED_FUNCTION_CALL", "provider_error"],
    ["UNEXPECTED_TOOL_CALL", "provider_error"],
    ["error", "provider_error"],
    ["OTHER", "provider_error"],
    ["PROHIBITED_CONTENT", "content_blocked"],
    ["STOP", undefined],
    ["end_turn", undefined],
    ["stop_sequence", undefined],
  ] as const) {
    it(`ends with ${code ?? "the answer"} after ${native}`, async () => {
      for (const provider of ["openai", "openrouter"]) {
        const { error, text } = await ask(provider, "/v1", (reply) => {
          reply.data(completion({ content: "The pod is " }));
          const choices = [
            { index: 0, delta: { content: "" }, finish_reason: "stop", native_finish_reason: native },
          ];
          reply.data({ choices });
          reply.raw("data: [DONE]\n\n");
          reply.end();
        });
        expect({ text, code: error?.code }).to.deep.equal({ text: "The pod is ", code });
        if (code !== undefined) expect(error?.message).to.contain(native);
      }
    });
  }

  for (const [reason, note] of [
    ["STOP", ""],
    ["COMPLETE", ""],
    ["eos_token", ""],
    ["MAX_TOKENS", "limit of output tokens"],
    ["model_length", "limit of output tokens"],
  ] as const) {
    it(`takes an answer that ended with ${reason}`, async () => {
      const { error, text } = await ask("openai", "/v1", (reply) => {
        reply.data(completion({ content: "The pod is down" }));
        reply.data(completion({}, reason));
        reply.raw("data: [DONE]\n\n");
        reply.end();
      });
      expect(error).to.equal(undefined);
      expect(text).to.contain("The pod is down").and.contain(note);
    });
  }

  it("names the provider's reason where a fragment of its call is all that came", async () => {
    const { error } = await ask("openrouter", "/v1", (reply) => {
      reply.data(completion({ content: ",namespace:default}],limit:5)}}" }));
      const choices = [
        {
          index: 0,
          delta: { content: "" },
          finish_reason: "stop",
          native_finish_reason: "MALFORMED_FUNCTION_CALL",
        },
      ];
      reply.data({ choices });
      reply.raw("data: [DONE]\n\n");
      reply.end();
    });
    expect(error).to.deep.include({ code: "provider_error", retryable: true });
    expect(error?.message).to.contain("MALFORMED_FUNCTION_CALL");
  });
});
