import { expect } from "chai";
import { geminiChunk, openGeminiServer, type GeminiHandler } from "../../../test/support/gemini-server.ts";
import { openSseServer, type SseHandler } from "../../../test/support/sse-server.ts";
import { geminiRequest, openGateway } from "./open-gateway.ts";
import {
  OPENAI_USAGE,
  chatRequest,
  completion,
  contentsOf,
  messageStart,
  named,
  says,
  usageOf,
} from "./wire.ts";

async function playGemini(handler: GeminiHandler) {
  await using gemini = await openGeminiServer(handler);
  await using gateway = await openGateway();
  const { chunks, error } = await gateway.ask(geminiRequest(gemini.url));
  return { usage: contentsOf(chunks, "usage"), code: error?.code };
}

async function playChat(type: string, handler: SseHandler, path = "") {
  await using server = await openSseServer(handler);
  await using gateway = await openGateway();
  const { chunks, error } = await gateway.ask(chatRequest(type, `${server.url}${path}`));
  return { usage: contentsOf(chunks, "usage"), code: error?.code };
}

const USAGE = {
  promptTokenCount: 100,
  cachedContentTokenCount: 60,
  candidatesTokenCount: 20,
  thoughtsTokenCount: 5,
};
const CHARGED = usageOf(100, 20, 5, { cachedInputTokens: 60 });

describe("what the gateway reports of the tokens a provider charges", () => {
  it("says how much of Gemini's input came from its cache", async () => {
    const { usage } = await playGemini((reply) => {
      reply.chunk(geminiChunk([{ text: "fine" }], { finishReason: "STOP", usageMetadata: USAGE }));
      reply.end();
    });
    expect(usage).to.deep.equal([CHARGED]);
  });

  for (const type of ["openai", "xai", "deepseek", "mistral", "openrouter"]) {
    it(`says how much of ${type}'s input came from its cache`, async () => {
      const { usage } = await playChat(type, (reply) => {
        reply.data(completion({ role: "assistant", content: "x" }, "stop", { usage: OPENAI_USAGE }));
        reply.raw("data: [DONE]\n\n");
        reply.end();
      });
      expect(usage).to.deep.equal([usageOf(100, 20, 10, { cachedInputTokens: 40 })]);
    });
  }

  it("reports what was charged of Gemini's answer that broke off", async () => {
    const broken = await playGemini((reply) => {
      reply.chunk(geminiChunk([{ text: "half" }], { usageMetadata: USAGE }));
      setImmediate(() => reply.reset());
    });
    expect(broken).to.deep.equal({ usage: [CHARGED], code: "partial_stream_error" });
  });

  it("reports what was charged of a tool call that Gemini wrote wrong", async () => {
    const end = { finishReason: "MALFORMED_FUNCTION_CALL", usageMetadata: USAGE };
    const malformed = await playGemini((reply) => {
      reply.chunk(geminiChunk([{ text: "half" }], end));
      reply.end();
    });
    expect(malformed.usage).to.deep.equal([CHARGED]);
    expect(malformed.code).not.to.equal(undefined);
  });

  it("reports what was charged of Claude's answer that broke off", async () => {
    const broken = await playChat("anthropic", (reply) => {
      messageStart(reply);
      says(reply, 0, "half");
      reply.event(named("error", { error: { type: "overloaded_error", message: "Overloaded" } }));
      reply.end();
    });
    expect(broken.code).not.to.equal(undefined);
    expect(broken.usage).to.deep.equal([usageOf(50, 1, 0, { cachedInputTokens: 8, cacheWriteTokens: 30 })]);
  });
});
