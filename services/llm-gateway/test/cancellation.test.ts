import { status } from "@grpc/grpc-js";
import { expect } from "chai";
import { geminiChunk, openGeminiServer } from "../../../test/support/gemini-server.ts";
import { TcpProxy } from "../../../test/support/tcp-proxy.ts";
import { collect, geminiRequest, openClient, openGateway } from "./open-gateway.ts";

/** The gRPC status code a call failed with. */
async function statusOf(call: Promise<unknown>): Promise<unknown> {
  try {
    await call;
  } catch (error) {
    if (error instanceof Error && "code" in error) return error.code;
    throw error;
  }
  return status.OK;
}

describe("llm-gateway when the caller is gone", () => {
  it("closes the provider's socket when the deadline passes", async () => {
    await using gemini = await openGeminiServer(() => undefined);
    await using gateway = await openGateway();
    let calls = 0;
    // A short deadline may pass before the request arrives: then the next one is longer.
    for (let ms = 300; gemini.requests.length === 0; ms *= 2) {
      const call = gateway.client.generate(geminiRequest(gemini.url), { deadline: Date.now() + ms });
      calls += 1;
      expect(await statusOf(collect(call))).to.equal(status.DEADLINE_EXCEEDED);
    }
    await gemini.requests[0]?.closed;
    // The request of an earlier call may arrive late; none is sent again.
    expect(gemini.requests).to.have.length.of.at.most(calls);
  });

  it("closes the provider's socket when the caller's connection breaks", async () => {
    await using gemini = await openGeminiServer((reply) => reply.chunk(geminiChunk([{ text: "well" }])));
    await using gateway = await openGateway();
    await using proxy = await TcpProxy.start({ host: "127.0.0.1", port: gateway.server.port });
    const client = openClient(`127.0.0.1:${proxy.port}`);
    const failed = statusOf(collect(client.generate(geminiRequest(gemini.url))));
    const request = await gemini.request(0);
    proxy.cut();
    await request.closed;
    expect(await failed).to.equal(status.UNAVAILABLE);
    client.close();
  });

  it("ends a running call with a retryable error when the stop grace is over", async () => {
    await using gemini = await openGeminiServer((reply) => reply.chunk(geminiChunk([{ text: "well" }])));
    await using gateway = await openGateway({ stopGraceMs: 50 });
    const answer = gateway.ask(geminiRequest(gemini.url));
    const request = await gemini.request(0);
    await gateway.server[Symbol.asyncDispose]();
    expect((await answer).error).to.deep.include({
      code: "overloaded",
      retryable: true,
      retryAfterMs: 1_000,
    });
    await request.closed;
  });

  it("lets a running answer finish within the grace", async () => {
    const { promise: stopping, resolve: stop } = Promise.withResolvers<void>();
    await using gemini = await openGeminiServer(async (reply) => {
      reply.chunk(geminiChunk([{ text: "well, " }]));
      await stopping;
      reply.chunk(geminiChunk([{ text: "done" }], { finishReason: "STOP" }));
      reply.end();
    });
    await using gateway = await openGateway({ stopGraceMs: 30_000 });
    const answer = gateway.ask(geminiRequest(gemini.url));
    await gemini.request(0);
    const stopped = gateway.server[Symbol.asyncDispose]();
    stop();
    expect((await answer).text).to.equal("well, done");
    await stopped;
  });
});
