import { expect } from "chai";
import { geminiChunk, openGeminiServer } from "../../../test/support/gemini-server.ts";
import { geminiRequest, openGateway } from "./open-gateway.ts";

describe("geminiFinishVerdict", () => {
  it("says, also after a tool call, that an answer was cut off by the token limit", async () => {
    await using gemini = await openGeminiServer((reply) => {
      reply.chunk(geminiChunk([{ functionCall: { name: "s__t" } }], { finishReason: "MAX_TOKENS" }));
      reply.end();
    });
    await using gateway = await openGateway();
    const cut = await gateway.ask(geminiRequest(gemini.url));
    expect(cut.error).to.equal(undefined);
    expect(cut.text).to.match(/\[The answer ends here: .*limit/u);
  });

  for (const [finishReason, code, retryable] of [
    ["SAFETY", "content_blocked", false],
    ["PROHIBITED_CONTENT", "content_blocked", false],
    ["BLOCKLIST", "content_blocked", false],
    ["SPII", "content_blocked", false],
    ["LANGUAGE", "content_blocked", false],
    ["RECITATION", "content_blocked", true],
    ["OTHER", "provider_error", true],
    ["MALFORMED_FUNCTION_CALL", "provider_error", true],
    ["UNEXPECTED_TOOL_CALL", "provider_error", true],
    ["SOMETHING_NEW", "provider_error", true],
  ] as const) {
    it(`ends with ${code} when the answer stops with ${finishReason}`, async () => {
      await using gemini = await openGeminiServer((reply) => {
        reply.chunk(geminiChunk([{ text: "Well, " }]));
        reply.chunk(geminiChunk([], { finishReason }));
        reply.end();
      });
      await using gateway = await openGateway();
      const answer = await gateway.ask(geminiRequest(gemini.url));
      expect(answer.error).to.deep.include({ code, retryable });
      expect(answer.error?.message).to.contain(finishReason);
      expect(gemini.requests).to.have.length(1);
    });
  }

  it("ends with content_blocked when the prompt is blocked", async () => {
    await using gemini = await openGeminiServer((reply) => {
      reply.chunk({ promptFeedback: { blockReason: "PROHIBITED_CONTENT" } });
      reply.end();
    });
    await using gateway = await openGateway();
    const answer = await gateway.ask(geminiRequest(gemini.url));
    expect(answer.error).to.deep.include({ code: "content_blocked", retryable: false });
  });
});
