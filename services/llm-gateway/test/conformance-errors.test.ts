import { expect } from "chai";
import { openSseServer, type SseHandler } from "../../../test/support/sse-server.ts";
import { givesErrorTypes, type Adapter } from "./adapters.ts";
import { TEST_KEY } from "./open-gateway.ts";
import { answers, every, firstPart, openStage, opening, refuses, sample, sends } from "./open-stage.ts";
import type { Piece } from "./wire-formats.ts";

const FINE: readonly Piece[] = [{ text: "fine" }];
const HALF: readonly Piece[] = [{ text: "half" }, { text: "more" }];

/** Errors that a second request cannot correct: the status, the words, OpenAI's or Anthropic's type, and the code. */
const REFUSALS = [
  [400, "messages: at least one is required", "invalid_request_error", "invalid_request"],
  [404, "model: gpt-99 not found", "not_found_error", "invalid_request"],
  [422, "no such parameter", "invalid_request_error", "invalid_request"],
  [400, "prompt is too long: 210000 tokens > 200000 maximum", "invalid_request_error", "context_too_long"],
  [400, "This model's maximum context length is 8192 tokens.", "context_length_exceeded", "context_too_long"],
  [413, "Request exceeds the maximum size", "request_too_large", "context_too_long"],
  [401, "invalid x-api-key", "authentication_error", "credentials"],
  [403, "not allowed", "permission_error", "credentials"],
  [402, "Insufficient Balance", "unknown_error", "credentials"],
  [418, "teapot", "some_error", "provider_error"],
] as const;
/** The same, of APIs that give an error a type. */
const TYPED_REFUSALS = [
  [400, "the request exceeds the available context size", "exceed_context_size_error", "context_too_long"],
  [400, "The response was filtered", "content_filter", "content_blocked"],
  [429, "You exceeded your current quota", "insufficient_quota", "credentials"],
  [400, "Your credit balance is too low", "invalid_request_error", "credentials"],
] as const;

const fine = ({ format }: Adapter) => answers(format(FINE));

describe("the errors of every provider", () => {
  const resources = new AsyncDisposableStack();
  let stage: Awaited<ReturnType<typeof openStage>>;
  before(async () => {
    stage = resources.use(await openStage());
  });
  after(() => resources.disposeAsync());

  for (const [number, status] of [408, 429, 500, 502, 503, 504, 529].entries()) {
    it(`of status ${status} are answered by another try`, () =>
      every(async (adapter) => {
        const message = "not now";
        const tried = await stage.failure(adapter, [
          refuses(adapter, { status, message, type: "x" }),
          fine(adapter),
        ]);
        expect(tried).to.include({ text: "fine", code: undefined, requests: 2 });
      }, sample(number)));
  }

  it("are given up after three tries, and the last one is named", () =>
    every(async (adapter) => {
      const late = { status: 529, message: "come back later", type: "some_error" };
      const { code, retryable, message, requests } = await stage.failure(adapter, refuses(adapter, late));
      expect({ code, retryable, requests }).to.deep.equal({
        code: "max_retries",
        retryable: true,
        requests: 3,
      });
      expect(message).to.contain("overloaded").and.to.contain("come back later");
    }));

  for (const [number, [status, message, type, code]] of [...REFUSALS, ...TYPED_REFUSALS].entries()) {
    const among = sample(number).filter(
      ([, adapter]) => number < REFUSALS.length || givesErrorTypes(adapter),
    );
    it(`are ${code} after ${status} "${message}", without another try`, () =>
      every(async (adapter) => {
        const refused = await stage.failure(
          adapter,
          refuses(adapter, { status, message, type }, { "retry-after": "20" }),
        );
        expect(refused).to.include({ code, retryable: false, retryAfterMs: undefined, requests: 1 });
        expect(refused.message).to.contain(message);
      }, among));
  }

  it("are a rate limit in Gemini's words, which mention billing too, also behind another API", () =>
    every(
      async (adapter) => {
        const message = "You exceeded your current quota, please check your plan and billing details.";
        const compatible = [{ error: { code: 429, message, status: "RESOURCE_EXHAUSTED" } }];
        const limited = await stage.failure(adapter, (reply) => reply.fail(429, compatible));
        expect(limited).to.include({ code: "max_retries", retryable: true });
        expect(limited.message).to.contain("rate_limited").and.to.contain(message);
      },
      sample(0).filter(([, { type }]) => type !== "bedrock"),
    ));

  it("name the variable of the credential, never its value or what the provider repeats of it", () =>
    every(async (adapter) => {
      const message = `Incorrect API key: ${TEST_KEY} sk-ab***********xyz.`;
      for (const status of [401, 403]) {
        const refused = await stage.failure(adapter, refuses(adapter, { status, message, type: "x" }));
        expect(refused).to.include({ code: "credentials", retryable: false });
        expect(refused.message).to.contain(adapter.credential).and.not.to.contain(TEST_KEY);
      }
    }));

  it("of a connection that breaks before the first content are answered by another try", () =>
    every(async (adapter) => {
      const reset: SseHandler = (reply, request) => {
        void sends(opening(adapter.format(FINE)))(reply, request);
        setImmediate(() => reply.reset());
      };
      const tried = await stage.failure(adapter, [(reply) => reply.reset(), reset, fine(adapter)]);
      expect(tried).to.include({ text: "fine", requests: 3 });
      const given = await stage.failure(adapter, (reply) => reply.reset());
      expect(given).to.include({ code: "max_retries", retryAfterMs: 15_000, requests: 3 });
      expect(given.message).to.contain(` at ${given.url}): `).and.contain("connection to the server broke (");
    }));

  it("of a connection that breaks in mid-answer are partial_stream_error, and the output is kept", () =>
    every(async (adapter) => {
      const { promise: seen, resolve: saw } = Promise.withResolvers<void>();
      const { call } = stage.begin(adapter, async (reply, request) => {
        void sends(firstPart(adapter.format(HALF)))(reply, request);
        await seen; // a reset may overtake what was sent before it
        reply.reset();
      });
      const chunks: unknown[] = [];
      for await (const chunk of call) {
        chunks.push(chunk);
        saw();
      }
      expect(JSON.stringify(chunks)).to.contain('"half"');
      const error: unknown = chunks.at(-1);
      expect(error).to.have.nested.property("content.value.code", "partial_stream_error");
      expect(error).to.have.nested.property("content.value.retryAfterMs", undefined);
    }));

  it("of an answer without an end are partial_stream_error", () =>
    every(async (adapter) => {
      const broken = await stage.failure(adapter, answers(firstPart(adapter.format(HALF))));
      expect(broken).to.include({ text: "half", code: "partial_stream_error", retryable: true });
    }));

  for (const kind of ["failed", "overloaded"] as const) {
    it(`inside an answer (${kind}) are reported, and answered by another try where nothing came out`, () =>
      every(async (adapter) => {
        const frames = adapter.format(HALF);
        const end = { raw: adapter.failure("model melted", kind) };
        const retryAfterMs = kind === "overloaded" ? 15_000 : undefined;
        const late = await stage.failure(adapter, answers([...firstPart(frames), end]));
        expect(late).to.include({
          text: "half",
          code: "partial_stream_error",
          retryable: true,
          retryAfterMs,
        });
        expect(late.message).to.contain("model melted");
        const early = answers([...opening(frames), end]);
        expect(await stage.failure(adapter, [early, fine(adapter)])).to.include({
          text: "fine",
          requests: 2,
        });
        const given = await stage.failure(adapter, early);
        expect(given).to.include({ code: "max_retries", retryAfterMs, requests: 3 });
        if (kind === "overloaded") expect(given.message).to.contain("(overloaded)");
      }));
  }

  for (const [number, [what, bytes]] of (
    [
      ["half a message", 'data: {"choices":[{"delta'],
      ["no JSON", "event: message_start\ndata: <html>\n\n"],
      ["JSON of another form", 'data: {"choices":7,"candidates":7}\n\ndata: 3\n\ndata: null\n\n'],
      ["bytes", Buffer.from([0xff, 0xfe, 0x00, 0x0a, 0x0a])],
      ["nothing", ""],
    ] as const
  ).entries()) {
    it(`of a stream that holds ${what} are retryable`, () =>
      every(async (adapter) => {
        const garbage = await stage.failure(adapter, answers([{ raw: bytes }]));
        expect(garbage).to.include({
          code: "max_retries",
          retryable: true,
          retryAfterMs: undefined,
          requests: 3,
        });
      }, sample(number)));
  }

  it("name the status when a web page comes instead of JSON", () =>
    every(async (adapter) => {
      const page = await stage.failure(adapter, (reply) => reply.fail(502, `<html>${"x".repeat(100_000)}`));
      expect(page).to.include({ code: "max_retries", retryAfterMs: 15_000 });
      expect(page.message).to.contain("502").and.contain("(provider_error)");
      expect(page.message.length).to.be.at.most(2_000);
    }));

  it("of a redirect are terminal: the key does not follow it", () =>
    every(async (adapter) => {
      await using other = await openSseServer(fine(adapter), adapter.contentType);
      const redirect = await stage.failure(adapter, (reply) =>
        reply.fail(307, "", { location: `${other.url}/v1` }),
      );
      expect(redirect).to.include({ code: "invalid_request", retryable: false, requests: 1 });
      expect(redirect.message).to.contain("redirect (307)");
      expect(other.requests).to.have.length(0);
    }));
});
