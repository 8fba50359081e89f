import { once } from "node:events";
import { expect } from "chai";
import { NOTHING_LISTENS } from "../../../test/support/nothing-listens.ts";
import type { GenerateRequest } from "#shared/generated/llm/v1/llm.ts";
import { geminiChunk, openGeminiServer } from "../../../test/support/gemini-server.ts";
import {
  openSseServer,
  type SseHandler,
  type SseReply,
  type SseServer,
} from "../../../test/support/sse-server.ts";
import { DIALECTS } from "./dialects.ts";
import { geminiRequest, openGateway } from "./open-gateway.ts";
import { chatRequest } from "./wire.ts";

/** One API as these cases need it. */
interface Api {
  readonly open: (handler: SseHandler) => Promise<SseServer>;
  readonly request: (url: string) => GenerateRequest;
  /** How messages name what was called at this URL. */
  readonly errorBody: (status: number, message: string, type: string) => object;
  readonly begin: (reply: SseReply, text: string) => void;
  /** Reports an overload inside the answer. */
  readonly overload: (reply: SseReply) => void;
}

const gemini: Api = {
  open: openGeminiServer,
  request: geminiRequest,
  errorBody: (status, message) => ({ error: { code: status, message, status: "UNAVAILABLE" } }),
  begin: (reply, text) => {
    reply.raw(text === "" ? ": waiting\n\n" : `data: ${JSON.stringify(geminiChunk([{ text }]))}\n\n`);
  },
  overload: (reply) => reply.data({ error: { code: 503, message: "Overloaded", status: "UNAVAILABLE" } }),
};
const APIS: [string, Api][] = [
  ["Gemini", gemini],
  ...Object.entries(DIALECTS).map(([name, dialect]): [string, Api] => [
    name,
    {
      open: openSseServer,
      request: (url) => chatRequest(dialect.provider, `${url}${dialect.path}`),
      errorBody: (_status, message, type) => dialect.errorBody(message, type),
      begin: dialect.begin,
      overload: (reply) => dialect.inStream(reply, "Overloaded", "overloaded_error"),
    },
  ]),
];

/** How the errors of a call to this address begin. */
function target(api: Api, url: string): string {
  const { providerName = "", model = "" } = api.request(url).llmConfig ?? {};
  return `${providerName} (${model} at ${url})`;
}

for (const [name, api] of APIS) {
  const play = async (handler: SseHandler, { stallMs = 30_000, deadline = Infinity } = {}) => {
    await using server = await api.open(handler);
    await using gateway = await openGateway({ stallMs });
    const options = deadline === Infinity ? {} : { deadline };
    const { error } = await gateway.ask(api.request(server.url), options);
    const { code, message = "", retryAfterMs } = error ?? {};
    return { code, message, retryAfterMs, requests: server.requests.length, url: server.url };
  };
  const failing = (status: number, text: string, type = "some_error", headers = {}): SseHandler => {
    return (reply) => reply.fail(status, api.errorBody(status, text, type), headers);
  };

  describe(`llm-gateway tells when a call to ${name} may succeed`, () => {
    it("after a rate limit: when the header says, at once if the call cannot wait so long", async () => {
      const limit = (seconds: number) =>
        failing(429, "slow down", "rate_limit_error", { "retry-after": String(seconds) });
      const long = await play(limit(48));
      expect(long).to.include({ code: "rate_limited", retryAfterMs: 48_000, requests: 1 });
      const hurried = await play(limit(25), { deadline: Date.now() + 20_000 });
      expect(hurried).to.include({ code: "rate_limited", retryAfterMs: 25_000, requests: 1 });
      const days = await play(limit(900_000));
      expect(days).to.include({ code: "rate_limited", retryAfterMs: 86_400_000, requests: 1 });
    });

    it("after a rate limit: when its text says", async () => {
      const text = "Rate limit reached for requests. Limit: 3 / min. Please try again in 1m2.5s. Contact us.";
      const { code, retryAfterMs, requests } = await play(failing(429, text, "rate_limit_exceeded"));
      expect({ code, retryAfterMs, requests }).to.deep.equal({
        code: "rate_limited",
        retryAfterMs: 62_500,
        requests: 1,
      });
    });

    for (const [what, headers] of [
      ["says nothing", {}],
      ["says 0", { "retry-after": "0" }],
    ] as const) {
      it(`after a rate limit that ${what}: an estimate`, async () => {
        const answer = await play(failing(429, "slow down", "rate_limit_error", headers));
        expect(answer).to.include({ code: "max_retries", retryAfterMs: 20_000, requests: 3 });
        expect(answer.message).to.contain("(rate_limited)");
      });
    }

    for (const status of [503, 529]) {
      it(`after ${status}: an estimate, or what the provider says`, async () => {
        const answer = await play(failing(status, "Overloaded", "overloaded_error"));
        expect(answer).to.include({ code: "max_retries", retryAfterMs: 15_000, requests: 3 });
        const stated = await play(failing(status, "Overloaded", "x", { "retry-after": "120" }));
        expect(stated).to.include({ code: "overloaded", retryAfterMs: 120_000, requests: 1 });
      });
    }

    for (const [status, text] of [
      [503, "Loading model"],
      [500, "llm server loading model"],
      [503, "Model google/gemma-3 is currently loading"],
    ] as const) {
      it(`while a server says "${text}" (${status})`, async () => {
        const answer = await play(failing(status, text, "unavailable_error"));
        expect(answer).to.include({ code: "max_retries", retryAfterMs: 15_000 });
        expect(answer.message).to.contain("(overloaded)").and.contain("still loading the model");
      });
    }

    it("when a proxy cannot reach the server", async () => {
      const answer = await play((reply) => reply.fail(502, "<html>Bad Gateway"));
      expect(answer).to.include({ code: "max_retries", retryAfterMs: 15_000 });
      expect(answer.message).to.contain("(provider_error)").and.contain("502");
    });

    it("when nothing listens at its address, which the message names", async () => {
      await using gateway = await openGateway();
      const { error } = await gateway.ask(api.request(NOTHING_LISTENS));
      expect(error).to.deep.include({
        code: "max_retries",
        message: `${target(api, NOTHING_LISTENS)}: gave up after 3 tries (provider_error): the server cannot be reached (ECONNREFUSED)`,
        retryable: true,
        retryAfterMs: 15_000,
        lastCode: "provider_error",
      });
    });

    it("when DNS does not know its name, but not when it speaks no TLS", async () => {
      await using gateway = await openGateway();
      const unknown = "http://no-such-host.invalid:8000";
      const { error } = await gateway.ask(api.request(unknown));
      expect(error).to.deep.include({ code: "max_retries", retryAfterMs: 15_000 });
      expect(error?.message)
        .to.contain(`${target(api, unknown)}: `)
        .and.contain("cannot be reached (E");
      await using server = await api.open(() => undefined);
      const https = server.url.replace("http:", "https:");
      const answer = await gateway.ask(api.request(https));
      expect(answer.error).to.deep.include({ code: "max_retries", retryAfterMs: undefined });
      expect(answer.error?.message)
        .to.contain(`${target(api, https)}: `)
        .and.contain("connection to the server failed (");
    });

    it("when the connection breaks before any output, but not after some", async () => {
      const before = await play((reply) => reply.reset());
      expect(before).to.include({ code: "max_retries", retryAfterMs: 15_000, requests: 3 });
      expect(before.message)
        .to.contain(`${target(api, before.url)}: `)
        .and.contain("connection to the server broke (");
      await using server = await api.open((reply) => api.begin(reply, "half"));
      await using gateway = await openGateway();
      const call = gateway.client.generate(api.request(server.url));
      let last: unknown;
      call.on("data", (chunk) => {
        if (last === undefined) void server[Symbol.asyncDispose]();
        last = chunk;
      });
      await once(call, "end");
      expect(last).to.have.nested.property("content.value.code", "partial_stream_error");
      expect(last).to.have.nested.property("content.value.retryAfterMs", undefined);
    });

    it("when an overload ends the answer, before and after some output", async () => {
      const end = (text: string): SseHandler => {
        return (reply) => {
          api.begin(reply, text);
          api.overload(reply);
          reply.end();
        };
      };
      expect(await play(end(""))).to.include({ code: "max_retries", retryAfterMs: 15_000 });
      expect(await play(end("half"))).to.include({ code: "partial_stream_error", retryAfterMs: 15_000 });
    });

    it("but not for any other failure", async () => {
      const header = { "retry-after": "20" };
      for (const [status, text, type] of [
        [400, "messages: at least one is required", "invalid_request_error"],
        [400, "prompt is too long", "invalid_request_error"],
        [401, "Incorrect API key", "authentication_error"],
        [402, "Payment required", "billing_error"],
        [404, "no such model", "not_found_error"],
        [429, "You exceeded your current quota: insufficient_quota", "insufficient_quota"],
      ] as const) {
        const answer = await play(failing(status, text, type, header));
        expect(answer, `${status} ${text}`).to.include({ retryAfterMs: undefined, requests: 1 });
      }
      for (const status of [408, 500, 504]) {
        expect((await play(failing(status, "oh"))).retryAfterMs, `${status}`).to.equal(undefined);
      }
      expect((await play(() => undefined, { stallMs: 50 })).retryAfterMs).to.equal(undefined);
      const garbage = await play((reply) => {
        reply.raw("data: <html>\n\n");
        reply.end();
      });
      expect(garbage).to.include({ code: "max_retries", retryAfterMs: undefined });
    });
  });
}
