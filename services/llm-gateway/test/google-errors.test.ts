import { expect } from "chai";
import { geminiChunk, openGeminiServer, type GeminiHandler } from "../../../test/support/gemini-server.ts";
import { TEST_KEY, TEST_KEY_ENV, geminiRequest, openGateway } from "./open-gateway.ts";
import { contentsOf, usageOf } from "./wire.ts";

const succeed: GeminiHandler = (reply) => {
  reply.chunk(geminiChunk([{ text: "fine" }], { finishReason: "STOP" }));
  reply.end();
};
const failWith = (status: number, text: string, details: object[] = [], headers = {}): GeminiHandler => {
  return (reply) => reply.fail(status, { error: { code: status, message: text, details } }, headers);
};

/** The gateway's answer when Gemini replies with these handlers, and the number of requests. */
async function play(handlers: GeminiHandler | GeminiHandler[]) {
  await using gemini = await openGeminiServer(handlers);
  await using gateway = await openGateway();
  const answer = await gateway.ask(geminiRequest(gemini.url));
  expect(answer.chunks.filter(({ isFinal }) => isFinal)).to.have.length(1);
  expect(answer.chunks.at(-1)?.isFinal).to.equal(true);
  return { ...answer, requests: gemini.requests.length };
}

describe("llm-gateway when Gemini fails", () => {
  it("waits as long as RetryInfo asks for", async () => {
    const started = performance.now();
    const retryInfo = { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "0.25s" };
    const { text } = await play([failWith(429, "slow down", [retryInfo]), succeed]);
    expect(text).to.equal("fine");
    expect(performance.now() - started).to.be.greaterThan(249);
  });

  it("passes a RetryInfo on that it does not wait for itself", async () => {
    const retryInfo = { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "48s" };
    const { error, requests } = await play(failWith(429, "slow down", [retryInfo]));
    expect(error).to.deep.include({ code: "rate_limited", retryable: true, retryAfterMs: 48_000 });
    expect(requests).to.equal(1);
  });

  it("does not retry when a daily quota is used up, whatever delay the error asks for", async () => {
    const { error, requests } = await play(
      failWith(429, "You exceeded your current quota. Please retry in 20s.", [
        {
          "@type": "type.googleapis.com/google.rpc.QuotaFailure",
          violations: [{ quotaId: "GenerateRequestsPerDayPerProjectPerModel-FreeTier", quotaValue: "20" }],
        },
        { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "0.01s" },
      ]),
    );
    expect(error).to.deep.include({ code: "rate_limited", retryable: false });
    expect(error?.message).to.contain("daily quota");
    expect(error).to.have.property("retryAfterMs", undefined);
    expect(requests).to.equal(1);
  });

  it("retries when a per-minute quota is used up", async () => {
    const violations = [{ quotaId: "GenerateRequestsPerMinutePerProjectPerModel" }];
    const { text, requests } = await play([failWith(429, "slow down", [{ violations }]), succeed]);
    expect({ text, requests }).to.deep.equal({ text: "fine", requests: 2 });
  });

  it("reads an error that comes in a list", async () => {
    const { error } = await play((reply) =>
      reply.fail(400, JSON.stringify([{ error: { code: 400, message: "no such field" } }])),
    );
    expect(error?.message).to.match(/\(400\): no such field$/u);
  });

  it("reads a bare error object that a proxy wrote into the stream", async () => {
    const { error } = await play((reply) => {
      reply.chunk(geminiChunk([{ text: "half" }]));
      reply.raw('{\n  "error": {\n    "code": 400,\n    "message": "went wrong"\n  }\n}\n');
      reply.end();
    });
    expect(error).to.deep.include({ code: "invalid_request", retryable: false });
    expect(error?.message).to.contain("went wrong");
  });

  it("retries after an answer that consists of a signature only", async () => {
    const { text, requests } = await play([
      (reply) => {
        reply.chunk(geminiChunk([{ text: "", thoughtSignature: "c2ln" }], { finishReason: "STOP" }));
        reply.end();
      },
      succeed,
    ]);
    expect({ text, requests }).to.deep.equal({ text: "fine", requests: 2 });
  });

  it("tries again after an empty answer", async () => {
    const empty: GeminiHandler = (reply) => {
      reply.chunk(geminiChunk([], { finishReason: "STOP", usageMetadata: { promptTokenCount: 3 } }));
      reply.end();
    };
    const { text, requests } = await play([empty, succeed]);
    expect({ text, requests }).to.deep.equal({ text: "fine", requests: 2 });
    expect((await play(empty)).error).to.deep.include({ code: "max_retries", retryable: true });
  });

  for (const [status, text, code] of [
    [400, "The input token count (9) exceeds the maximum number of tokens allowed (8).", "context_too_long"],
    [429, "Your prepayment credits are depleted.", "credentials"],
  ] as const) {
    it(`refuses with ${code} after ${status} "${text}", without another try`, async () => {
      const { error, requests } = await play(failWith(status, text));
      expect(requests).to.equal(1);
      expect(error).to.deep.include({ code, retryable: false });
      expect(error?.message).to.contain(text);
    });
  }

  it("names the variable, never the key, when the provider refuses the key with 400", async () => {
    const { error } = await play(failWith(400, `bad key ${TEST_KEY}`, [{ reason: "API_KEY_INVALID" }]));
    expect(error).to.deep.include({ code: "credentials", retryable: false });
    expect(error?.message).to.contain(TEST_KEY_ENV).and.not.to.contain(TEST_KEY);
  });

  it("names the variable when it is not set, and makes no request", async () => {
    await using gemini = await openGeminiServer(succeed);
    await using gateway = await openGateway({ env: {} });
    const answer = await gateway.ask(geminiRequest(gemini.url));
    expect(answer.error).to.deep.include({ code: "credentials", retryable: false });
    expect(answer.error?.message).to.contain(TEST_KEY_ENV);
    expect(gemini.requests).to.have.length(0);
  });

  it("refuses a key that cannot be one, without repeating it", async () => {
    await using gateway = await openGateway({ env: { [TEST_KEY_ENV]: "two\nlines" } });
    const { error } = await gateway.ask(geminiRequest("http://127.0.0.1:9"));
    expect(error).to.deep.include({ code: "credentials", retryable: false });
    expect(error?.message).to.contain(TEST_KEY_ENV).and.not.to.contain("lines");
  });

  it("reports what was charged of a tool call that Gemini wrote wrong", async () => {
    const usageMetadata = { promptTokenCount: 100, candidatesTokenCount: 20, thoughtsTokenCount: 5 };
    const { chunks, error } = await play((reply) => {
      reply.chunk(
        geminiChunk([{ text: "half" }], { finishReason: "MALFORMED_FUNCTION_CALL", usageMetadata }),
      );
      reply.end();
    });
    expect(contentsOf(chunks, "usage")).to.deep.equal([usageOf(100, 20, 5)]);
    expect(error).not.to.equal(undefined);
  });
});
