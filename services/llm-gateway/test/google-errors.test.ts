import { expect } from "chai";
import {
  geminiChunk,
  openGeminiServer,
  type GeminiHandler,
  type GeminiReply,
} from "../../../test/support/gemini-server.ts";
import { NOTHING_LISTENS } from "../../../test/support/nothing-listens.ts";
import { TEST_KEY, TEST_KEY_ENV, geminiRequest, openGateway } from "./open-gateway.ts";
import { prose } from "./wire.ts";

const succeed: GeminiHandler = (reply) => {
  reply.chunk(geminiChunk([{ text: "fine" }], { finishReason: "STOP" }));
  reply.end();
};
const failWith = (status: number, text: string, details: object[] = [], headers = {}): GeminiHandler => {
  return (reply) => reply.fail(status, { error: { code: status, message: text, details } }, headers);
};
const resetAfter = (start: (reply: GeminiReply) => void): GeminiHandler => {
  return (reply) => {
    start(reply);
    setImmediate(() => reply.reset());
  };
};

/** The gateway's answer when Gemini replies with these handlers, and the number of requests. */
async function play(
  handlers: GeminiHandler | GeminiHandler[],
  overrides: { stallMs?: number; maxOutputBytes?: number } = {},
) {
  await using gemini = await openGeminiServer(handlers);
  await using gateway = await openGateway(overrides);
  const answer = await gateway.ask(geminiRequest(gemini.url));
  expect(answer.chunks.filter(({ isFinal }) => isFinal)).to.have.length(1);
  expect(answer.chunks.at(-1)?.isFinal).to.equal(true);
  return { ...answer, requests: gemini.requests.length };
}

describe("llm-gateway when Gemini fails", () => {
  for (const status of [408, 429, 500, 502, 503, 504, 529]) {
    it(`tries again after ${status} and answers`, async () => {
      const { text, error, requests } = await play([failWith(status, "not now"), succeed]);
      expect({ text, error, requests }).to.deep.equal({ text: "fine", error: undefined, requests: 2 });
    });
  }

  it("gives up after three tries, naming the last error", async () => {
    const { error, requests } = await play(failWith(503, "come back later"));
    expect(requests).to.equal(3);
    expect(error).to.deep.include({ code: "max_retries", retryable: true });
    expect(error?.message).to.contain("overloaded").and.to.contain("come back later");
  });

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

  it("does not wait past the caller's deadline for a Retry-After", async () => {
    await using gemini = await openGeminiServer(failWith(429, "quota used up", [], { "retry-after": "25" }));
    await using gateway = await openGateway();
    const answer = await gateway.ask(geminiRequest(gemini.url), { deadline: Date.now() + 20_000 });
    expect(answer.error).to.deep.include({ code: "rate_limited", retryable: true });
    expect(gemini.requests).to.have.length(1);
  });

  it("does not wait for hours, even for a caller without a deadline", async () => {
    const { error, requests } = await play(failWith(429, "quota used up", [], { "retry-after": "3600" }));
    expect(error).to.deep.include({ code: "rate_limited", retryable: true });
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

  it("tries again after a reset before the first chunk", async () => {
    const { text, requests } = await play([resetAfter(() => undefined), succeed]);
    expect({ text, requests }).to.deep.equal({ text: "fine", requests: 2 });
  });

  it("keeps the received output and ends with partial_stream_error after a reset in mid-answer", async () => {
    const { text, error, requests } = await play(
      resetAfter((reply) => reply.chunk(geminiChunk([{ text: "half" }]))),
    );
    expect({ text, requests }).to.deep.equal({ text: "half", requests: 1 });
    expect(error).to.deep.include({ code: "partial_stream_error", retryable: true });
  });

  it("reports an answer without a finish reason as broken off", async () => {
    const { error } = await play((reply) => {
      reply.chunk(geminiChunk([{ text: "half" }]));
      reply.end();
    });
    expect(error).to.deep.include({ code: "partial_stream_error", retryable: true });
  });

  it("reports an error object inside the stream", async () => {
    const { error } = await play((reply) => {
      reply.chunk(geminiChunk([{ text: "half" }]));
      reply.chunk({ error: { code: 503, message: "model melted", status: "UNAVAILABLE" } });
      reply.end();
    });
    expect(error).to.deep.include({ code: "partial_stream_error", retryable: true });
    expect(error?.message).to.contain("model melted");
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

  it("retries after an error in the first chunk and keeps its code", async () => {
    const { text, requests } = await play([
      (reply) => {
        reply.chunk({ error: { code: 503, message: "model melted", status: "UNAVAILABLE" } });
        reply.end();
      },
      succeed,
    ]);
    expect({ text, requests }).to.deep.equal({ text: "fine", requests: 2 });
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
    [400, "Invalid value at contents", "invalid_request"],
    [400, "The input token count (9) exceeds the maximum number of tokens allowed (8).", "context_too_long"],
    [404, "models/x is not found", "invalid_request"],
    [413, "Request payload size exceeds the limit", "context_too_long"],
    [422, "no such field", "invalid_request"],
    [429, "Your prepayment credits are depleted.", "credentials"],
    [418, "teapot", "provider_error"],
  ] as const) {
    it(`refuses with ${code} after ${status} "${text}", without another try`, async () => {
      const { error, requests } = await play(failWith(status, text));
      expect(requests).to.equal(1);
      expect(error).to.deep.include({ code, retryable: false });
      expect(error?.message).to.contain(text);
    });
  }

  it("names the variable, never the key, when the provider refuses the key", async () => {
    for (const status of [400, 401, 403]) {
      const { error } = await play(failWith(status, `bad key ${TEST_KEY}`, [{ reason: "API_KEY_INVALID" }]));
      expect(error).to.deep.include({ code: "credentials", retryable: false });
      expect(error?.message).to.contain(TEST_KEY_ENV).and.not.to.contain(TEST_KEY);
    }
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

  it("says why the provider cannot be reached", async () => {
    await using gateway = await openGateway();
    const { error } = await gateway.ask(geminiRequest(NOTHING_LISTENS));
    expect(error).to.deep.include({ code: "max_retries", retryable: true });
    expect(error?.message).to.contain("ECONNREFUSED");
  });

  for (const [what, bytes] of [
    ["half a message", 'data: {"candidates":[{"content'],
    ["no JSON", "data: <html>\n\n"],
    ["JSON of another form", 'data: {"candidates":[{"content":{"parts":[{"text":7}]}}]}\n\n'],
    ["bytes", Buffer.from([0xff, 0xfe, 0x00, 0x0a, 0x0a])],
  ] as const) {
    it(`ends with a retryable error when the stream holds ${what}`, async () => {
      const { error } = await play((reply) => {
        reply.raw(bytes);
        reply.end();
      });
      expect(error).to.deep.include({ code: "max_retries", retryable: true });
    });
  }

  it("reports the status when a web page comes instead of JSON", async () => {
    const { error } = await play((reply) => reply.fail(502, `<html>${"x".repeat(100_000)}`));
    expect(error?.code).to.equal("max_retries");
    expect(error?.message).to.contain("502");
    expect(error?.message.length).to.be.at.most(2_000);
  });

  it("follows no redirect with the key", async () => {
    await using other = await openGeminiServer(succeed);
    const { error } = await play((reply) =>
      reply.fail(307, "", {
        location: `${other.url}/v1beta/models/gemini-3-pro:streamGenerateContent?alt=sse`,
      }),
    );
    expect(error).to.deep.include({ code: "invalid_request", retryable: false });
    expect(error?.message).to.contain("redirect (307)");
    expect(other.requests).to.have.length(0);
  });

  it("times out when nothing comes, closing the socket", async () => {
    await using gemini = await openGeminiServer(() => undefined);
    await using gateway = await openGateway({ stallMs: 50 });
    const { error } = await gateway.ask(geminiRequest(gemini.url));
    expect(error).to.deep.include({ code: "max_retries", retryable: true });
    expect(error?.message).to.contain("timeout");
    // On a busy machine the limit may end a try before its request has arrived.
    expect(gemini.requests).to.have.length.of.at.most(3);
    await Promise.all(gemini.requests.map(({ closed }) => closed));
  });

  it("times out in mid-answer, closing the socket", async () => {
    await using gemini = await openGeminiServer((reply) => reply.chunk(geminiChunk([{ text: "well" }])));
    await using gateway = await openGateway({ stallMs: 300, firstChunkMs: 30_000 });
    const { error, text } = await gateway.ask(geminiRequest(gemini.url));
    expect(text).to.equal("well");
    expect(error).to.deep.include({ code: "partial_stream_error", retryable: true });
    await gemini.requests[0]?.closed;
  });

  it("stops an answer that exceeds the output limit, closing the socket", async () => {
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    const { error, text } = await play(
      (reply, request) => {
        void request.closed.then(resolve);
        for (let count = 0; count < 30; count += 1) reply.chunk(geminiChunk([{ text: prose(1_000) }]));
      },
      { maxOutputBytes: 10_000 },
    );
    expect(error?.message).to.contain("10000 bytes");
    expect(text).to.have.length(10_000);
    await closed;
  });
});
