import { expect } from "chai";
import { openSseServer, type SseHandler } from "../../../test/support/sse-server.ts";
import { openGateway } from "./open-gateway.ts";
import {
  block,
  callsTool,
  chatRequest,
  completes,
  completion,
  contentsOf,
  messageStart,
  messageStop,
  named,
  says,
  thinks,
} from "./wire.ts";

async function play(handler: SseHandler, provider = "anthropic") {
  await using server = await openSseServer(handler);
  await using gateway = await openGateway();
  return await gateway.ask(chatRequest(provider, server.url));
}

describe("llm-gateway at the end of an answer", () => {
  for (const [reason, code, retryable] of [["pause_turn", "provider_error", true]] as const) {
    it(`ends with ${code} after the stop reason ${reason}, keeping what was said`, async () => {
      const { text, error } = await play((reply) => {
        messageStart(reply);
        says(reply, 0, "well");
        messageStop(reply, reason);
      });
      expect(text).to.equal("well");
      expect(error).to.deep.include({ code, retryable });
    });
  }

  for (const [reason, code] of [["insufficient_system_resource", "provider_error"]] as const) {
    it(`ends a chat completion with ${code} after ${reason}, keeping what was said`, async () => {
      const { text, error } = await play(completes([{ content: "well" }], reason), "openai");
      expect(text).to.equal("well");
      expect(error?.code).to.equal(code);
    });
  }

  it("asks again for an answer that broke off after hidden thinking alone", async () => {
    let requests = 0;
    const { chunks, text, error } = await play((reply) => {
      requests += 1;
      messageStart(reply);
      block(reply, 0, { type: "redacted_thinking", data: "sealed" }, []);
      if (requests === 1) {
        reply.end();
        return;
      }
      says(reply, 1, "well");
      messageStop(reply, "end_turn");
    });
    expect({ requests, text, error }).to.deep.equal({ requests: 2, text: "well", error: undefined });
    expect(contentsOf(chunks, "usage")).to.have.length(1);
  });

  it("separates thinking by blank lines only from thinking that is shown", async () => {
    const { thinking } = await play((reply) => {
      messageStart(reply);
      block(reply, 0, { type: "redacted_thinking", data: "sealed" }, []);
      thinks(reply, 1, "hm", "sig-1");
      thinks(reply, 2, "so", "sig-2");
      says(reply, 3, "well");
      messageStop(reply, "end_turn");
    });
    expect(thinking).to.equal("hm\n\nso");
  });

  it("does not continue one answer with another", async () => {
    const { chunks, thinking, error } = await play((reply) => {
      messageStart(reply);
      thinks(reply, 0, "hm", "sig-1");
      reply.event(
        named("content_block_start", {
          index: 1,
          content_block: { type: "tool_use", id: "toolu_1", name: "a__b", input: {} },
        }),
      );
      reply.event(
        named("content_block_delta", {
          index: 1,
          delta: { type: "input_json_delta", partial_json: '{"value":"Sp' },
        }),
      );
      messageStart(reply);
      callsTool(reply, 1, "toolu_2", "a__b", '{"value":"Spark"}');
      messageStop(reply, "tool_use");
    });
    expect(thinking).to.equal("hm");
    expect(contentsOf(chunks, "toolCall")).to.deep.equal([]);
    expect(error).to.deep.include({ code: "partial_stream_error", retryable: true });
  });

  it("ignores that an answer begins twice before its content", async () => {
    const { text, error } = await play((reply) => {
      messageStart(reply);
      messageStart(reply);
      says(reply, 0, "well");
      messageStop(reply, "end_turn");
    });
    expect({ text, error }).to.deep.equal({ text: "well", error: undefined });
  });

  it("calls tools that come whole and after the finish reason", async () => {
    const { chunks, error } = await play((reply) => {
      const call = { id: "call_1", type: "function", function: { name: "a__b", arguments: { n: 1 } } };
      reply.data(completion({ role: "assistant", content: "" }, "tool_calls"));
      reply.data(completion({ tool_calls: [call] }));
      reply.raw("data: [DONE]\n\n");
      reply.end();
    }, "openai");
    expect(error).to.equal(undefined);
    expect(contentsOf(chunks, "toolCall")).to.deep.equal([
      { callId: "call_1", name: "a__b", arguments: '{"n":1}' },
    ]);
  });

  it("fails, to be tried again, where the model stopped for a call that is not there", async () => {
    const { text, error } = await play(completes([{ content: "well" }], "tool_calls"), "openai");
    expect(text).to.equal("well");
    expect(error).to.deep.include({ code: "partial_stream_error", retryable: true });
  });

  it("gives no call whose arguments are missing where the answer has an end mark but no reason", async () => {
    for (const args of ["", '{"n":']) {
      const { chunks, error } = await play((reply) => {
        const called = { name: "a__b", arguments: args };
        reply.data(
          completion({ content: "well", tool_calls: [{ index: 0, id: "call_1", function: called }] }),
        );
        reply.raw("data: [DONE]\n\n");
        reply.end();
      }, "openai");
      expect(contentsOf(chunks, "toolCall")).to.deep.equal([]);
      expect(error?.code).to.equal("partial_stream_error");
    }
  });
});
