import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import { mock } from "node:test";
import { expect } from "chai";
import { listen } from "#shared/service/listen.ts";
import { openGeminiServer, geminiChunk, type GeminiReply } from "../../../test/support/gemini-server.ts";
import { httpPost } from "../providers/http-post.ts";

const PATH = "/v1/models/m:streamGenerateContent?alt=sse";
const finish = (reply: GeminiReply) => {
  reply.chunk(geminiChunk([{ text: "fine" }]));
  reply.end();
};

/** Reads a body to its end; returns its error instead if it fails. */
async function read(body: AsyncIterable<unknown>): Promise<unknown> {
  try {
    for await (const bytes of body) expect(bytes).not.to.equal(undefined);
    return "read";
  } catch (error) {
    return error;
  }
}

function boundPort(server: Server): number {
  const address = server.address();
  return address !== null && typeof address === "object" ? address.port : 0;
}

describe("httpPost", () => {
  const post = (base: string, signal: AbortSignal) =>
    httpPost(new URL(PATH, base), { headers: { "x-one": "1" }, body: '{"a":"é"}', signal });

  it("sends headers and body and resolves with the body unread", async () => {
    await using gemini = await openGeminiServer(finish);
    const response = await post(gemini.url, new AbortController().signal);
    expect(response.statusCode).to.equal(200);
    expect(await read(response)).to.equal("read");
    expect(gemini.requests[0]).to.deep.include({ body: { a: "é" } });
    expect(gemini.requests[0]?.headers).to.include({ "x-one": "1" });
  });

  it("sends nothing when its signal has aborted already", async () => {
    await using gemini = await openGeminiServer(finish);
    const failure: unknown = await post(gemini.url, AbortSignal.abort()).catch((error: unknown) => error);
    expect(failure).to.be.an("error").with.property("message").that.includes("aborted");
    expect(gemini.requests).to.have.length(0);
  });

  it("fails with ETIMEDOUT, closing the socket, when no TLS connection is made in time", async () => {
    const silent = createServer();
    await listen(silent, { host: "127.0.0.1", port: 0 });
    const { promise: connected, resolve } = Promise.withResolvers<Socket>();
    silent.once("connection", resolve);
    const failure: unknown = await httpPost(new URL(`https://127.0.0.1:${boundPort(silent)}`), {
      headers: {},
      body: "",
      signal: new AbortController().signal,
      connectTimeoutMs: 50,
    }).catch((error: unknown) => error);
    expect(failure).to.be.an("error").with.property("code", "ETIMEDOUT");
    const socket = await connected;
    socket.on("error", () => undefined).resume();
    if (!socket.closed) await once(socket, "close");
    silent.close();
  });

  it("takes a connection that was made in time while this process was busy", async () => {
    await using gemini = await openGeminiServer(finish);
    const { signal } = new AbortController();
    const options = { headers: {}, body: "{}", signal, connectTimeoutMs: 20 };
    const response = httpPost(new URL(PATH, gemini.url), options);
    // By then the connection is being made.
    process.nextTick(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100));
    expect(await read(await response)).to.equal("read");
  });

  it("limits only the connecting, not the answer", async () => {
    mock.timers.enable({ apis: ["setTimeout"] });
    try {
      const released = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;
      await using gemini = await openGeminiServer(
        released.map(({ promise }) => async (reply: GeminiReply) => {
          await promise;
          finish(reply);
        }),
      );
      // The second request reuses the connection.
      for (const [index, { resolve: release }] of released.entries()) {
        const response = post(gemini.url, new AbortController().signal);
        await gemini.request(index);
        mock.timers.tick(60_000);
        release();
        expect(await read(await response)).to.equal("read");
      }
    } finally {
      mock.timers.reset();
    }
  });

  it("fails and closes the socket when its signal aborts before the head, and in the body", async () => {
    await using gemini = await openGeminiServer([
      () => undefined,
      (reply) => reply.chunk(geminiChunk([{ text: "well" }])),
    ]);
    const before = new AbortController();
    const head = post(gemini.url, before.signal).catch((error: unknown) => error);
    const first = await gemini.request(0);
    before.abort();
    expect(await head)
      .to.be.an("error")
      .with.property("message")
      .that.includes("aborted");
    await first.closed;
    const within = new AbortController();
    const response = await post(gemini.url, within.signal);
    within.abort();
    expect(await read(response)).to.be.an("error");
    await gemini.requests[1]?.closed;
  });

  it("survives an abort after the whole answer has arrived but is not read", async () => {
    await using gemini = await openGeminiServer((reply) => {
      reply.raw("x".repeat(2_000_000));
      reply.end();
    });
    const controller = new AbortController();
    const response = await post(gemini.url, controller.signal);
    const bytes = response[Symbol.asyncIterator]();
    await bytes.next();
    controller.abort();
    await gemini.requests[0]?.closed;
  });
});
