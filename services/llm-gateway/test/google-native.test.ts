import { expect } from "chai";
import { geminiChunk, openGeminiServer } from "../../../test/support/gemini-server.ts";
import { KEY, geminiRequest, openGateway } from "./gateway.ts";

const USAGE = { promptTokenCount: 10, candidatesTokenCount: 5, thoughtsTokenCount: 7, totalTokenCount: 22 };

describe("llm-gateway with Gemini", () => {
  it("streams thinking, text and usage, and ends with one empty final chunk", async () => {
    await using gemini = await openGeminiServer((reply) => {
      reply.chunk(geminiChunk([{ text: "Let me see. ", thought: true }]));
      reply.chunk(geminiChunk([{ text: "The pod " }]));
      reply.chunk(
        geminiChunk([{ text: "is out of memory." }], { finishReason: "STOP", usageMetadata: USAGE }),
      );
      reply.end();
    });
    await using gateway = await openGateway();
    const answer = await gateway.ask(geminiRequest(gemini.url));
    expect(answer.error).to.equal(undefined);
    expect(answer.chunks).to.deep.equal([
      { content: { $case: "thinking", value: { content: "Let me see. " } }, isFinal: false },
      { content: { $case: "text", value: { content: "The pod " } }, isFinal: false },
      { content: { $case: "text", value: { content: "is out of memory." } }, isFinal: false },
      {
        content: {
          $case: "usage",
          value: { inputTokens: 10, outputTokens: 5, totalTokens: 22, thinkingTokens: 7 },
        },
        isFinal: false,
      },
      { content: undefined, isFinal: true },
    ]);
    const [request] = gemini.requests;
    expect(request?.path).to.equal("/v1beta/models/gemini-3-pro:streamGenerateContent?alt=sse");
    expect(request?.headers["x-goog-api-key"]).to.equal(KEY);
  });
});
