import { once } from "node:events";
import { status } from "@grpc/grpc-js";
import { expect } from "chai";
import { openSseServer, type SseHandler, type SseReply } from "../../../test/support/sse-server.ts";
import { until } from "../../../test/support/until.ts";
import { DIALECTS } from "./dialects.ts";
import { TEST_KEY, TEST_KEY_ENV, openGateway } from "./open-gateway.ts";
import { chatRequest, prose } from "./wire.ts";

for (const [name, dialect] of Object.entries(DIALECTS)) {
  const failWith = (code: number, text: string, type = "some_error", headers = {}): SseHandler => {
    return (reply) => reply.fail(code, dialect.errorBody(text, type), headers);
  };
  const play = async (
    handlers: SseHandler | SseHandler[],
    overrides: { stallMs?: number; maxOutputBytes?: number } = {},
  ) => {
    await using server = await openSseServer(handlers);
    await using gateway = await openGateway(overrides);
    const answer = await gateway.ask(chatRequest(dialect.provider, `${server.url}${dialect.path}`));
    expect(answer.chunks.filter(({ isFinal }) => isFinal)).to.have.length(1);
    expect(answer.chunks.at(-1)?.isFinal).to.equal(true);
    return { ...answer, requests: server.requests.length };
  };

  describe(`llm-gateway when ${name} fail`, () => {
    for (const code of [408, 429, 500, 502, 503, 504, 529]) {
      it(`tries again after ${code} and answers`, async () => {
        const { text, error, requests } = await play([failWith(code, "not now"), dialect.succeed]);
        expect({ text, error, requests }).to.deep.equal({ text: "fine", error: undefined, requests: 2 });
      });
    }

    it("gives up after three tries, naming the last error", async () => {
      const { error, requests } = await play(failWith(529, "come back later"));
      expect(requests).to.equal(3);
      expect(error).to.deep.include({ code: "max_retries", retryable: true });
      expect(error?.message).to.contain("overloaded").and.to.contain("come back later");
    });

    it("waits as long as Retry-After asks for, but not longer than the caller", async () => {
      await using server = await openSseServer(
        failWith(429, "slow down", "rate_limit_error", { "retry-after": "25" }),
      );
      await using gateway = await openGateway();
      const request = chatRequest(dialect.provider, `${server.url}${dialect.path}`);
      const { error } = await gateway.ask(request, { deadline: Date.now() + 20_000 });
      expect(error).to.deep.include({ code: "rate_limited", retryable: true });
      expect(server.requests).to.have.length(1);
      const started = performance.now();
      const { text } = await play([failWith(429, "slow", "x", { "retry-after-ms": "250" }), dialect.succeed]);
      expect(text).to.equal("fine");
      expect(performance.now() - started).to.be.greaterThan(249);
    });

    for (const [code, text, type, expected] of [
      [400, "messages: at least one is required", "invalid_request_error", "invalid_request"],
      [404, "model: gpt-99 not found", "not_found_error", "invalid_request"],
      [422, "no such parameter", "invalid_request_error", "invalid_request"],
      [
        400,
        "prompt is too long: 210000 tokens > 200000 maximum",
        "invalid_request_error",
        "context_too_long",
      ],
      [
        400,
        "This model's maximum context length is 8192 tokens.",
        "context_length_exceeded",
        "context_too_long",
      ],
      [
        400,
        "the request exceeds the available context size",
        "exceed_context_size_error",
        "context_too_long",
      ],
      [413, "Request exceeds the maximum size", "request_too_large", "context_too_long"],
      [400, "The response was filtered", "content_filter", "content_blocked"],
      [401, "invalid x-api-key", "authentication_error", "credentials"],
      [403, "not allowed", "permission_error", "credentials"],
      [429, "You exceeded your current quota", "insufficient_quota", "credentials"],
      [400, "Your credit balance is too low", "invalid_request_error", "credentials"],
      [402, "Insufficient Balance", "unknown_error", "credentials"],
      [418, "teapot", "some_error", "provider_error"],
    ] as const) {
      it(`refuses with ${expected} after ${code} "${text}", without another try`, async () => {
        const { error, requests } = await play(failWith(code, text, type));
        expect(requests).to.equal(1);
        expect(error).to.deep.include({ code: expected, retryable: false });
        expect(error?.message).to.contain(text);
      });
    }

    it("distinguishes Gemini's rate limit, which mentions billing too, from an empty account", async () => {
      const text = "You exceeded your current quota, please check your plan and billing details.";
      const compatible = [{ error: { code: 429, message: text, status: "RESOURCE_EXHAUSTED" } }];
      const { error } = await play((reply) => reply.fail(429, compatible));
      expect(error).to.deep.include({ code: "max_retries", retryable: true });
      expect(error?.message).to.contain("rate_limited").and.to.contain(text);
    });

    it("names the variable, never the key or what the provider repeats of it", async () => {
      const { error } = await play(failWith(401, `Incorrect API key: ${TEST_KEY} sk-ab***********xyz.`));
      expect(error?.message).to.contain(TEST_KEY_ENV).and.not.to.contain(TEST_KEY).and.not.to.contain("xyz");
    });

    it("tries again after a reset before the first content", async () => {
      const reset: SseHandler = (reply) => {
        dialect.begin(reply, "");
        setImmediate(() => reply.reset());
      };
      const { text, requests } = await play([(reply) => reply.reset(), reset, dialect.succeed]);
      expect({ text, requests }).to.deep.equal({ text: "fine", requests: 3 });
    });

    it("keeps the received output and ends with partial_stream_error after a reset in mid-answer", async () => {
      await using server = await openSseServer((reply) => dialect.begin(reply, "half"));
      await using gateway = await openGateway();
      const call = gateway.client.generate(chatRequest(dialect.provider, `${server.url}${dialect.path}`));
      const chunks: unknown[] = [];
      call.on("data", (chunk) => {
        chunks.push(chunk);
        if (chunks.length === 1) void server[Symbol.asyncDispose]();
      });
      await once(call, "end");
      expect(JSON.stringify(chunks)).to.contain('"half"').and.to.contain('"partial_stream_error"');
    });

    it("reports an answer without an end as broken off", async () => {
      const { text, error } = await play((reply) => {
        dialect.begin(reply, "half");
        reply.end();
      });
      expect(text).to.equal("half");
      expect(error).to.deep.include({ code: "partial_stream_error", retryable: true });
    });

    it("reports an error inside the stream, and tries again where nothing came out", async () => {
      const { error } = await play((reply) => {
        dialect.begin(reply, "half");
        dialect.inStream(reply, "model melted", "server_error");
        reply.end();
      });
      expect(error).to.deep.include({ code: "partial_stream_error", retryable: true });
      expect(error?.message).to.contain("model melted");
      const overloaded: SseHandler = (reply) => {
        dialect.begin(reply, "");
        dialect.inStream(reply, "Overloaded", "overloaded_error");
        reply.end();
      };
      expect((await play([overloaded, dialect.succeed])).text).to.equal("fine");
      expect((await play(overloaded)).error?.message).to.contain("(overloaded)");
    });

    for (const [what, bytes] of [
      ["half a message", 'data: {"choices":[{"delta'],
      ["no JSON", "event: message_start\ndata: <html>\n\n"],
      ["JSON of another form", 'data: {"choices":7}\n\ndata: 3\n\ndata: null\n\n'],
      ["bytes", Buffer.from([0xff, 0xfe, 0x00, 0x0a, 0x0a])],
      ["nothing", ""],
    ] as const) {
      it(`ends with a retryable error when the stream holds ${what}`, async () => {
        const { error, requests } = await play((reply) => {
          reply.raw(bytes);
          reply.end();
        });
        expect(error).to.deep.include({ code: "max_retries", retryable: true });
        expect(requests).to.equal(3);
      });
    }

    it("reports the status when a web page comes instead of JSON", async () => {
      const { error } = await play((reply) => reply.fail(502, `<html>${"x".repeat(100_000)}`));
      expect(error?.code).to.equal("max_retries");
      expect(error?.message).to.contain("502");
      expect(error?.message.length).to.be.at.most(2_000);
    });

    it("follows no redirect with the key", async () => {
      await using other = await openSseServer(dialect.succeed);
      const { error } = await play((reply) => reply.fail(307, "", { location: other.url }));
      expect(error).to.deep.include({ code: "invalid_request", retryable: false });
      expect(error?.message).to.contain("redirect (307)");
      expect(other.requests).to.have.length(0);
    });

    it("times out when nothing or only the opening of the response comes, closing the socket", async () => {
      for (const handler of [() => undefined, (reply: SseReply) => dialect.begin(reply, "")]) {
        await using server = await openSseServer(handler);
        await using gateway = await openGateway({ stallMs: 300 });
        const { error } = await gateway.ask(chatRequest(dialect.provider, `${server.url}${dialect.path}`));
        expect(error).to.deep.include({ code: "timeout", retryable: true });
        expect(error?.message).to.contain("sent nothing for 0.3 s").and.to.contain("timeouts");
        // On a busy machine the limit may end the call before the request has arrived.
        expect(server.requests).to.have.length.of.at.most(1);
        await Promise.all(server.requests.map(({ closed }) => closed));
      }
    });

    it("waits for a model that opens the response and then thinks without sending anything", async () => {
      await using server = await openSseServer((reply, request) => {
        dialect.begin(reply, "");
        setTimeout(() => void dialect.succeed(reply, request), 200); // nothing is sent meanwhile
      });
      await using gateway = await openGateway({ stallMs: 50, firstChunkMs: 30_000 });
      const { text, error } = await gateway.ask(
        chatRequest(dialect.provider, `${server.url}${dialect.path}`),
      );
      expect({ text, error }).to.deep.equal({ text: "fine", error: undefined });
    });

    it("times out in mid-answer, closing the socket", async () => {
      await using server = await openSseServer((reply) => dialect.begin(reply, "well"));
      await using gateway = await openGateway({ stallMs: 500, firstChunkMs: 30_000 });
      const { error, text } = await gateway.ask(
        chatRequest(dialect.provider, `${server.url}${dialect.path}`),
      );
      expect(text).to.equal("well");
      expect(error).to.deep.include({ code: "partial_stream_error", retryable: true });
      await server.requests[0]?.closed;
    });

    it("stops an answer that exceeds the output limit, closing the socket", async () => {
      const { promise: closed, resolve } = Promise.withResolvers<void>();
      const { error, text } = await play(
        (reply, request) => {
          void request.closed.then(resolve);
          dialect.begin(reply, prose(2_000));
          dialect.goOn(reply, prose(2_000));
        },
        { maxOutputBytes: 3_000 },
      );
      expect(error?.message).to.contain("3000 bytes");
      expect(text).to.have.length(2_000);
      await closed;
    });

    for (const when of ["before the answer", "in mid-answer"] as const) {
      it(`closes the provider's socket on a cancel ${when}`, async () => {
        await using server = await openSseServer((reply) => {
          if (when === "in mid-answer") dialect.begin(reply, "well");
        });
        await using gateway = await openGateway();
        const call = gateway.client.generate(chatRequest(dialect.provider, `${server.url}${dialect.path}`));
        const failed = new Promise<unknown>((resolve) => {
          call.once("error", resolve);
        });
        const request = await server.request(0);
        if (when === "in mid-answer") await once(call, "data");
        call.cancel();
        expect(await failed).to.include({ code: status.CANCELLED });
        await request.closed;
        await until("no call is running", async () =>
          (await gateway.metrics.metrics()).includes("tarsy_llm_calls_running 0"),
        );
        expect(server.requests).to.have.length(1);
      });
    }
  });
}
