import { expect } from "chai";
import { NOTHING_LISTENS } from "../../../test/support/nothing-listens.ts";
import { openSseServer } from "../../../test/support/sse-server.ts";
import { givesErrorTypes, type Adapter } from "./adapters.ts";
import { answers, every, openStage, refuses, sample } from "./open-stage.ts";

const fine = ({ format }: Adapter) => answers(format([{ text: "fine" }]));

describe("the errors of every provider say when the call may succeed", () => {
  const resources = new AsyncDisposableStack();
  let stage: Awaited<ReturnType<typeof openStage>>;
  before(async () => {
    stage = resources.use(await openStage());
  });
  after(() => resources.disposeAsync());

  it("after a rate limit: when the header says, at once if the call cannot wait so long", () =>
    every(async (adapter) => {
      const limit = (seconds: number) => refuses(adapter, {}, { "retry-after": String(seconds) });
      const limited = { code: "rate_limited", retryable: true, requests: 1 };
      expect(await stage.failure(adapter, limit(48))).to.include({ ...limited, retryAfterMs: 48_000 });
      const hurried = await stage.failure(adapter, limit(25), { deadline: Date.now() + 20_000 });
      expect(hurried).to.include({ ...limited, retryAfterMs: 25_000 });
      const days = await stage.failure(adapter, limit(900_000));
      expect(days).to.include({ ...limited, retryAfterMs: 86_400_000 });
    }));

  it("after a rate limit: they wait themselves for a short time", () =>
    every(async (adapter) => {
      // The SDKs of the others know no header but the usual one.
      const headers: Record<string, string> = givesErrorTypes(adapter)
        ? { "retry-after-ms": "250" }
        : { "retry-after": "0.25" };
      const started = performance.now();
      const limited = await stage.failure(adapter, [refuses(adapter, {}, headers), fine(adapter)]);
      expect(limited).to.include({ text: "fine", requests: 2 });
      expect(performance.now() - started).to.be.greaterThan(240);
    }));

  it("after a rate limit: when its text says", () =>
    every(async (adapter) => {
      const message =
        "Rate limit reached for requests. Limit: 3 / min. Please try again in 1m2.5s. Contact us.";
      const limited = await stage.failure(
        adapter,
        refuses(adapter, { message, type: "rate_limit_exceeded" }),
      );
      expect(limited).to.include({ code: "rate_limited", retryAfterMs: 62_500, requests: 1 });
    }));

  for (const [number, headers] of [{}, { "retry-after": "0" }].entries()) {
    it(`after a rate limit with the headers ${JSON.stringify(headers)}: an estimate`, () =>
      every(async (adapter) => {
        const limited = await stage.failure(adapter, refuses(adapter, {}, headers));
        expect(limited).to.include({ code: "max_retries", retryAfterMs: 20_000, requests: 3 });
        expect(limited.message).to.contain("(rate_limited)");
      }, sample(number)));
  }

  for (const [number, status] of [503, 529].entries()) {
    it(`after ${status}: an estimate, or what the provider says`, () =>
      every(async (adapter) => {
        const overloaded = { status, message: "Overloaded", type: "overloaded_error" };
        const estimated = await stage.failure(adapter, refuses(adapter, overloaded));
        expect(estimated).to.include({ code: "max_retries", retryAfterMs: 15_000, requests: 3 });
        const stated = await stage.failure(adapter, refuses(adapter, overloaded, { "retry-after": "120" }));
        expect(stated).to.include({ code: "overloaded", retryAfterMs: 120_000, requests: 1 });
      }, sample(number)));
  }

  for (const [number, [status, message]] of (
    [
      [503, "Loading model"],
      [500, "llm server loading model"],
      [503, "Model google/gemma-3 is currently loading"],
    ] as const
  ).entries()) {
    it(`while a server says "${message}" (${status})`, () =>
      every(async (adapter) => {
        const loading = await stage.failure(
          adapter,
          refuses(adapter, { status, message, type: "unavailable_error" }),
        );
        expect(loading).to.include({ code: "max_retries", retryAfterMs: 15_000 });
        expect(loading.message).to.contain("(overloaded)").and.contain("still loading the model");
      }, sample(number)));
  }

  it("when nothing listens at their address, or DNS does not know its name; not when it speaks no TLS", () =>
    every(async (adapter) => {
      const ask = async (url: string) => {
        const { providerName = "", model = "" } = adapter.request(url).llmConfig ?? {};
        const { error } = await stage.gateway.ask(adapter.request(url));
        return { error, target: `${providerName} (${model} at ${url}): ` };
      };
      const closed = await ask(NOTHING_LISTENS);
      expect(closed.error).to.deep.include({
        code: "max_retries",
        message: `${closed.target}gave up after 3 tries (provider_error): the server cannot be reached (ECONNREFUSED)`,
        retryable: true,
        retryAfterMs: 15_000,
        lastCode: "provider_error",
      });
      const unknown = await ask("http://no-such-host.invalid:8000");
      expect(unknown.error).to.deep.include({ code: "max_retries", retryAfterMs: 15_000 });
      expect(unknown.error?.message).to.contain(unknown.target).and.contain("cannot be reached (E");
      await using plain = await openSseServer(() => undefined);
      const secure = await ask(plain.url.replace("http:", "https:"));
      expect(secure.error).to.deep.include({ code: "max_retries", retryAfterMs: undefined });
      expect(secure.error?.message)
        .to.contain(secure.target)
        .and.contain("connection to the server failed (");
    }, sample(0)));

  it("but not after a failure without a wait", () =>
    every(async (adapter) => {
      for (const status of [408, 500, 504]) {
        const late = await stage.failure(
          adapter,
          refuses(adapter, { status, message: "oh", type: "some_error" }),
        );
        expect(late.retryAfterMs, `${status}`).to.equal(undefined);
      }
    }));
});
