import { expect } from "chai";
import { geminiChunk, openGeminiServer } from "../../../test/support/gemini-server.ts";
import { geminiRequest, openGateway } from "./gateway.ts";

describe("finishVerdict", () => {
  it("says in the text that an answer was cut off by the token limit", async () => {
    await using gemini = await openGeminiServer((reply) => {
      reply.chunk(geminiChunk([{ text: "Half an" }], { finishReason: "MAX_TOKENS" }));
      reply.end();
    });
    await using gateway = await openGateway();
    const answer = await gateway.ask(geminiRequest(gemini.url));
    expect(answer.error).to.equal(undefined);
    expect(answer.text).to.match(/^Half an\n\n\[The answer ends here: .*limit/u);
  });

  for (const [finishReason, code, retryable] of [
    ["SAFETY", "content_blocked", false],
    ["RECITATION", "content_blocked", true],
    ["MALFORMED_FUNCTION_CALL", "provider_error", true],
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
