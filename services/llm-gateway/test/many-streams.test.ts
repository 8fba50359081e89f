import { Metadata, status } from "@grpc/grpc-js";
import { expect } from "chai";
import {
  geminiChunk,
  openGeminiServer,
  type GeminiHandler,
  type GeminiReply,
} from "../../../test/support/gemini-server.ts";
import { repetitions } from "../../../test/support/nightly.ts";
import { until } from "../../../test/support/until.ts";
import {
  collect,
  geminiRequest,
  message,
  openClient,
  openGateway,
  openHealthClient,
  scriptedRequest,
  type Answer,
} from "./open-gateway.ts";

const STREAMS = repetitions({ daily: 100, nightly: 1_000 });
const FAILING_CALLS = repetitions({ daily: 30, nightly: 200 });
const PIECES = 5;

const end = (reply: GeminiReply, text: string) => {
  reply.chunk(geminiChunk([{ text }], { finishReason: "STOP" }));
  reply.end();
};

/** The text in a request that the fake provider received. */
function asked(body: unknown): string {
  return /"text":"(?<text>[^"]*)"/u.exec(JSON.stringify(body))?.groups?.["text"] ?? "";
}

/** Two replicas and a client that calls them round robin. */
async function openReplicas() {
  await using stack = new AsyncDisposableStack();
  // Many calls may take minutes to begin: none is given up and tried again.
  const patient = { stallMs: 600_000 };
  const gateways = [stack.use(await openGateway(patient)), stack.use(await openGateway(patient))];
  const target = `ipv4:${gateways.map(({ server }) => `127.0.0.1:${server.port}`).join(",")}`;
  const client = openClient(target, {
    "grpc.service_config": JSON.stringify({ loadBalancingConfig: [{ round_robin: {} }] }),
  });
  stack.defer(() => client.close());
  const start = (url: string, text: string) =>
    client.generate(
      geminiRequest(url, { messages: [message("user", text)] }),
      new Metadata({ waitForReady: true }),
    );
  /** The sum of a metric's lines, per replica. */
  const metric = (line: RegExp) =>
    Promise.all(
      gateways.map(async ({ metrics }) =>
        [...(await metrics.metrics()).matchAll(line)].reduce((sum, [, value]) => sum + Number(value), 0),
      ),
    );
  // All calls go to the first replica until both are connected.
  await until("both replicas have answered a call", async () => {
    const call = client.generate(scriptedRequest(""), new Metadata({ waitForReady: true }));
    await collect(call);
    return (await metric(/^tarsy_llm_calls_total.* (\d+)$/gmu)).every((calls) => calls > 0);
  });
  const all = stack.move();
  return { start, metric, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

const RUNNING = /^tarsy_llm_calls_running (\d+)$/gmu;

async function askAll(
  handler: GeminiHandler,
  calls: number,
): Promise<{ answers: Answer[]; requests: number }> {
  await using gemini = await openGeminiServer(handler);
  await using replicas = await openReplicas();
  const answers = await Promise.all(
    Array.from({ length: calls }, (_, call) => collect(replicas.start(gemini.url, `call ${call}`))),
  );
  expect(await replicas.metric(RUNNING)).to.deep.equal([0, 0]);
  return { answers, requests: gemini.requests.length };
}

const ends = (answers: readonly Answer[]) => {
  const counts: Record<string, number> = {};
  for (const { error } of answers) counts[error?.code ?? "ok"] = (counts[error?.code ?? "ok"] ?? 0) + 1;
  return counts;
};

/** Fails the first `failures` requests of every call with `fail`. */
function failing(failures: number, fail: (reply: GeminiReply) => void): GeminiHandler {
  const tries = new Map<string, number>();
  return (reply, { body }) => {
    const text = asked(body);
    const tried = (tries.get(text) ?? 0) + 1;
    tries.set(text, tried);
    if (tried > failures) end(reply, `fine, ${text}`);
    else fail(reply);
  };
}

describe("llm-gateway under load", () => {
  it("serves many concurrent calls on two replicas without mixing them up", async () => {
    const { promise: allOpen, resolve: open } = Promise.withResolvers<void>();
    await using gemini = await openGeminiServer(async (reply, { body }) => {
      reply.chunk(geminiChunk([{ text: `${asked(body)}:` }]));
      if (gemini.requests.length === STREAMS) open();
      await allOpen; // no answer ends before all have started
      for (let piece = 1; piece < PIECES; piece += 1) reply.chunk(geminiChunk([{ text: ` ${piece}` }]));
      end(reply, ` ${PIECES}`);
    });
    await using replicas = await openReplicas();
    const calls = Array.from({ length: STREAMS }, (_, call) =>
      collect(replicas.start(gemini.url, `call ${call}`)),
    );
    await allOpen;
    await until(
      "all calls are running",
      async () => (await replicas.metric(RUNNING)).reduce((sum, one) => sum + one, 0) === STREAMS,
    );
    expect(Math.min(...(await replicas.metric(RUNNING))), "both have some").to.be.above(0);
    const answers = await Promise.all(calls);
    expect(answers.map(({ text }) => text)).to.deep.equal(
      Array.from({ length: STREAMS }, (_, call) => `call ${call}: 1 2 3 4 5`),
    );
    expect(ends(answers)).to.deep.equal({ ok: STREAMS });
    expect(await replicas.metric(RUNNING)).to.deep.equal([0, 0]);
  });

  it("closes every provider socket when many callers cancel in mid-answer", async () => {
    await using gemini = await openGeminiServer((reply) => reply.chunk(geminiChunk([{ text: "well" }])));
    await using replicas = await openReplicas();
    const calls = Array.from({ length: STREAMS }, () => replicas.start(gemini.url, "x"));
    const codes = calls.map(async (call) => {
      call.once("data", () => call.cancel());
      return collect(call).then(
        () => "completed",
        (error: unknown) => (error instanceof Error && "code" in error ? error.code : error),
      );
    });
    expect(new Set(await Promise.all(codes))).to.deep.equal(new Set([status.CANCELLED]));
    expect(gemini.requests).to.have.length(STREAMS);
    await Promise.all(gemini.requests.map(({ closed }) => closed));
    await until("no call is running", async () =>
      (await replicas.metric(RUNNING)).every((running) => running === 0),
    );
  });

  it("reuses one connection to the provider for consecutive calls", async () => {
    const ports = new Set<unknown>();
    await using gemini = await openGeminiServer((reply, { remotePort }) => {
      ports.add(remotePort);
      end(reply, "fine");
    });
    await using gateway = await openGateway();
    for (let call = 0; call < 5; call += 1) {
      expect((await gateway.ask(geminiRequest(gemini.url))).text).to.equal("fine");
    }
    expect(ports.size).to.equal(1);
  });

  it("stops reading from a provider whose caller does not read", async () => {
    const piece = "x".repeat(64 * 1024);
    let sent = 0;
    await using gemini = await openGeminiServer(async (reply, { closed }) => {
      const caller = { isThere: true };
      void closed.then(() => (caller.isThere = false));
      while (caller.isThere) {
        reply.chunk(geminiChunk([{ text: piece }]));
        sent += piece.length;
        await reply.drained();
      }
    });
    await using gateway = await openGateway({ maxOutputBytes: 2 ** 30, maxMessageBytes: 2 ** 30 });
    const call = gateway.client.generate(geminiRequest(gemini.url));
    call.on("error", () => undefined);
    call.pause();
    await gemini.request(0);
    // Takes long enough for the provider to send hundreds of megabytes.
    const health = openHealthClient(`127.0.0.1:${gateway.server.port}`);
    const checks = repetitions({ daily: 150, nightly: 500 });
    for (let check = 0; check < checks; check += 1) {
      await new Promise((resolve) => health.check({ service: "" }, resolve));
    }
    health.close();
    // The buffers of the sockets and libraries in between take some 30 MB.
    expect(sent).to.be.lessThan(128 * 1024 * 1024);
    call.cancel();
    await gemini.requests[0]?.closed;
  });

  it("makes exactly the necessary tries when every call gets 429s", async () => {
    const fail = (reply: GeminiReply) =>
      reply.fail(429, { error: { code: 429, message: "slow down", details: [{ retryDelay: "0.02s" }] } });
    const through = await askAll(failing(2, fail), FAILING_CALLS);
    expect(ends(through.answers)).to.deep.equal({ ok: FAILING_CALLS });
    expect(through.answers.map(({ text }) => text)).to.include(`fine, call ${FAILING_CALLS - 1}`);
    expect(through.requests).to.equal(3 * FAILING_CALLS);
    const stuck = await askAll(failing(3, fail), FAILING_CALLS);
    expect(ends(stuck.answers)).to.deep.equal({ max_retries: FAILING_CALLS });
    expect(stuck.requests).to.equal(3 * FAILING_CALLS);
  });

  it("retries calls whose connection is reset before the first byte, and no others", async () => {
    const early = await askAll(
      failing(1, (reply) => reply.reset()),
      FAILING_CALLS,
    );
    expect(ends(early.answers)).to.deep.equal({ ok: FAILING_CALLS });
    expect(early.requests).to.equal(2 * FAILING_CALLS);
    const late = await askAll(
      failing(1, (reply) => {
        reply.chunk(geminiChunk([{ text: "half" }]));
        void reply.drained().then(() => setImmediate(() => reply.reset()));
      }),
      FAILING_CALLS,
    );
    // A reset can overtake the bytes sent before it; then there was no output and the call is retried.
    const { ok = 0, partial_stream_error: partial = 0 } = ends(late.answers);
    expect(ok + partial).to.equal(FAILING_CALLS);
    expect(late.requests).to.equal(FAILING_CALLS + ok);
    expect(partial).to.be.greaterThan(0);
  });
});
