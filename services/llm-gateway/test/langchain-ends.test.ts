import { expect } from "chai";
import { openSseServer, type SseHandler } from "../../../test/support/sse-server.ts";
import { openGateway } from "./open-gateway.ts";
import { callsTool, chatRequest, completes, contentsOf, messageStart, messageStop, says } from "./wire.ts";

async function play(handler: SseHandler, provider = "anthropic") {
  await using server = await openSseServer(handler);
  await using gateway = await openGateway();
  return await gateway.ask(chatRequest(provider, server.url));
}

describe("llm-gateway at the end of an answer", () => {
  for (const [reason, code, retryable] of [
    ["refusal", "content_blocked", false],
    ["pause_turn", "provider_error", true],
  ] as const) {
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

  it("says in the answer that it was cut off", async () => {
    const { text, error } = await play((reply) => {
      messageStart(reply);
      says(reply, 0, "well");
      messageStop(reply, "max_tokens");
    });
    expect(error).to.equal(undefined);
    expect(text).to.match(/^well\n\n\[The answer ends here/u);
  });

  it("gives no tool call whose arguments were cut off", async () => {
    const { chunks, error } = await play((reply) => {
      messageStart(reply);
      callsTool(reply, 0, "toolu_1", "a__b", '{"namespace":"a');
      messageStop(reply, "max_tokens");
    });
    expect(contentsOf(chunks, "toolCall")).to.deep.equal([]);
    expect(error?.message).to.contain("in the middle of a tool call");
  });

  for (const [reason, code] of [
    ["content_filter", "content_blocked"],
    ["insufficient_system_resource", "provider_error"],
  ] as const) {
    it(`ends a chat completion with ${code} after ${reason}, keeping what was said`, async () => {
      const { text, error } = await play(completes([{ content: "well" }], reason), "openai");
      expect(text).to.equal("well");
      expect(error?.code).to.equal(code);
    });
  }

  it("fails, to be tried again, where the tokens were used up by thinking", async () => {
    const { error } = await play(completes([{ reasoning_content: "hm" }], "length"), "openai");
    expect(error).to.deep.include({ code: "provider_error", retryable: true });
  });
});
