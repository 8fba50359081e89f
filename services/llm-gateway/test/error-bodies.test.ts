import { expect } from "chai";
import { openSseServer, type SseHandler } from "../../../test/support/sse-server.ts";
import { openGateway } from "./open-gateway.ts";
import { REFUSALS } from "./refusals.ts";
import { chatRequest, completion, contentsOf, usageOf } from "./wire.ts";

async function ask(handler: SseHandler, config = {}) {
  await using server = await openSseServer(handler);
  await using gateway = await openGateway();
  const answer = await gateway.ask(chatRequest("openai", `${server.url}/v1`, {}, config));
  return { ...answer, url: server.url, requests: server.requests.length };
}

describe("llm-gateway with the error bodies of many servers", () => {
  for (const { server, status, body, code, says } of REFUSALS) {
    it(`refuses with ${code} what ${server} answers with ${status}`, async () => {
      const { error, requests, url } = await ask((reply) => reply.fail(status, body));
      expect(error).to.deep.include({ code, retryable: false });
      expect(error?.message).to.contain(says);
      expect(error?.message)
        .to.match(/^provider-\d+ \(gpt-4o at /u)
        .and.contain(`at ${url}): `);
      expect(requests).to.equal(1);
    });
  }

  it("asks again after a request that the rate allows, whatever its words", async () => {
    const message =
      "Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Used 29,900, Requested 546. The input or output tokens must be reduced.";
    const { error, requests } = await ask((reply) => reply.fail(429, { error: { message } }));
    expect(error).to.deep.include({ code: "max_retries", lastCode: "rate_limited" });
    expect(requests).to.equal(3);
  });

  it("shows what the provider behind a router said", async () => {
    const raw = "z/glm is temporarily rate-limited upstream. Please retry shortly";
    const body = {
      error: { code: 429, message: "Provider returned error", metadata: { provider_name: "B", raw } },
    };
    const { error } = await ask((reply) => reply.fail(429, body));
    expect(error?.message).to.contain("rate limit").and.contain(raw);
  });

  it("does not speak of a refused key where none is configured and the quota is used up", async () => {
    const body = {
      error: {
        message: "You exceeded your current quota",
        type: "insufficient_quota",
        code: "insufficient_quota",
      },
    };
    const { error } = await ask((reply) => reply.fail(429, body), { apiKeyEnv: "" });
    expect(error).to.deep.include({ code: "credentials", retryable: false });
    expect(error?.message).to.contain("the account has no credit or quota left (429): You exceeded");
  });

  for (const [server, line, code, says] of [
    [
      "GPUStack",
      'error: {"error":{"code":500,"message":"failed to decode, try increasing context","type":"server_error"}}',
      "provider_error",
      "failed to decode",
    ],
    [
      "an older llama.cpp",
      'error: {"code":503,"message":"busy","type":"unavailable_error"}',
      "overloaded",
      "busy",
    ],
    [
      "llama.cpp",
      'data: {"error":{"code":500,"message":"Context size has been exceeded.","type":"server_error"}}',
      "context_too_long",
      "Context size",
    ],
    [
      "Ollama",
      '{"error":"an error was encountered while running the model: unexpected EOF"}',
      "provider_error",
      "unexpected EOF",
    ],
    ["Groq", 'data: {"choices":[],"x_groq":{"error":"over capacity"}}', "provider_error", "over capacity"],
    [
      "a router",
      'data: {"error":{"code":429,"message":"slow down"},"choices":[]}',
      "rate_limited",
      "slow down",
    ],
    ["a server with plain text", "error: out of memory", "provider_error", "out of memory"],
  ] as const) {
    it(`reports what ${server} says of a failure in the stream`, async () => {
      const handler: SseHandler = (reply) => {
        reply.data(completion({ content: "half" }));
        reply.raw(`${line}\n\n`);
        reply.end();
      };
      const { text, error } = await ask(handler);
      expect(text).to.equal("half");
      expect(error?.message).to.contain(says);
      const isTerminal = code === "context_too_long";
      expect(error?.code).to.equal(isTerminal ? code : "partial_stream_error");
      expect(error?.retryAfterMs !== undefined).to.equal(code === "overloaded" || code === "rate_limited");
    });
  }

  it("reads the usage in Groq's field from a server of any type", async () => {
    const { chunks } = await ask((reply) => {
      reply.data(completion({ content: "fine" }));
      const usage = { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 };
      reply.data(completion({}, "stop", { usage: null, x_groq: { id: "r", usage } }));
      reply.raw("data: [DONE]\n\n");
      reply.end();
    });
    expect(contentsOf(chunks, "usage")).to.deep.equal([usageOf(7, 3, 0)]);
  });

  it("reads a stream whose fields begin with a blank", async () => {
    const { text, error } = await ask((reply) => {
      reply.raw(` data: ${JSON.stringify(completion({ content: "fine" }))}\n\n`);
      reply.raw(` data: ${JSON.stringify(completion({}, "stop"))}\n\n data: [DONE]\n\n`);
      reply.end();
    });
    expect({ text, error }).to.deep.equal({ text: "fine", error: undefined });
  });
});
