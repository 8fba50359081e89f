import { once } from "node:events";
import { mock } from "node:test";
import { Channel, Metadata, credentials, status, type ServiceError } from "@grpc/grpc-js";
import { expect } from "chai";
import {
  HealthCheckResponse_ServingStatus as ServingStatus,
  type HealthClient,
  type HealthCheckResponse,
} from "#shared/generated/grpc/health/v1/health.ts";
import { geminiChunk, openGeminiServer } from "../../../test/support/gemini-server.ts";
import { until } from "../../../test/support/until.ts";
import {
  collect,
  geminiRequest,
  message,
  openClient,
  openGateway,
  openHealthClient,
} from "./open-gateway.ts";

const MIB = 1024 * 1024;
const HOUR_MS = 3_600_000;

/** The result of a health check: a serving status, or the gRPC status of its error. */
function check(client: HealthClient, service: string): Promise<{ serving?: number; code?: number }> {
  return new Promise((resolve) => {
    client.check({ service }, (error: ServiceError | null, response?: HealthCheckResponse) =>
      resolve(error === null ? { serving: response?.status ?? -1 } : { code: error.code }),
    );
  });
}

describe("llm-gateway's gRPC server", () => {
  it("answers gRPC's health checks", async () => {
    await using gateway = await openGateway();
    const client = openHealthClient(`127.0.0.1:${gateway.server.port}`);
    for (const service of ["", "llm.v1.LLMService"]) {
      expect(await check(client, service)).to.deep.equal({ serving: ServingStatus.SERVING });
    }
    expect(await check(client, "nonsense")).to.deep.equal({ code: status.NOT_FOUND });
    client.close();
  });

  it("reports NOT_SERVING to health watchers before running calls have ended", async () => {
    const { promise: stopping, resolve: stop } = Promise.withResolvers<void>();
    await using gemini = await openGeminiServer(async (reply) => {
      await stopping;
      reply.chunk(geminiChunk([{ text: "done" }], { finishReason: "STOP" }));
      reply.end();
    });
    await using gateway = await openGateway({ stopGraceMs: 30_000 });
    const client = openHealthClient(`127.0.0.1:${gateway.server.port}`);
    const seen: unknown[] = [];
    const known = client.watch({ service: "llm.v1.LLMService" });
    known.on("data", (response) => seen.push(response));
    const unknown = client.watch({ service: "nonsense" });
    const seenOfUnknown: unknown[] = [];
    unknown.on("data", (response) => seenOfUnknown.push(response));
    await until("both watchers got a status", () => seen.length > 0 && seenOfUnknown.length > 0);
    expect(seenOfUnknown).to.deep.equal([{ status: ServingStatus.SERVICE_UNKNOWN }]);
    const answer = gateway.ask(geminiRequest(gemini.url));
    await gemini.request(0);
    const stopped = gateway.server[Symbol.asyncDispose]();
    await once(known, "end");
    expect(seen).to.deep.equal([{ status: ServingStatus.SERVING }, { status: ServingStatus.NOT_SERVING }]);
    stop();
    expect((await answer).text).to.equal("done");
    await stopped;
    client.close();
  });

  it("refuses a request over the limit without reading it, and serves the next call", async () => {
    await using gemini = await openGeminiServer((reply) => {
      reply.chunk(geminiChunk([{ text: "fine" }], { finishReason: "STOP" }));
      reply.end();
    });
    await using gateway = await openGateway({ maxMessageBytes: MIB });
    const large = [message("user", "x".repeat(2 * MIB))];
    const failure: unknown = await gateway
      .ask(geminiRequest(gemini.url, { messages: large }))
      .catch((e: unknown) => e);
    expect(failure).to.have.property("code", status.RESOURCE_EXHAUSTED);
    expect(gemini.requests).to.have.length(0);
    expect((await gateway.ask(geminiRequest(gemini.url))).text).to.equal("fine");
  });

  for (const [what, part, rest] of [
    ["a tool call", { functionCall: { name: "s__t", args: { x: "x".repeat(2 * MIB) } } }, {}],
    ["a text", { text: "x".repeat(2 * MIB) }, {}],
    ["a signature", { text: "x", thoughtSignature: "x".repeat(2 * MIB) }, {}],
    [
      "grounding",
      { text: "x" },
      {
        groundingMetadata: {
          groundingChunks: Array.from({ length: 100_000 }, () => ({ web: { uri: "https://example.org/" } })),
        },
      },
    ],
  ] as const) {
    it(`ends an answer with ${what} over the limit with a typed error, and serves the next call`, async () => {
      await using gemini = await openGeminiServer([
        (reply) => {
          reply.chunk(geminiChunk([part], { finishReason: "STOP", ...rest }));
          reply.end();
        },
        (reply) => {
          reply.chunk(geminiChunk([{ text: "fine" }], { finishReason: "STOP" }));
          reply.end();
        },
      ]);
      await using gateway = await openGateway({ maxMessageBytes: MIB, maxOutputBytes: 64 * MIB });
      const { error } = await gateway.ask(geminiRequest(gemini.url));
      expect(error).to.deep.include({ code: "provider_error", retryable: true });
      expect(error?.message).to.contain("limit");
      expect((await gateway.ask(geminiRequest(gemini.url))).text).to.equal("fine");
    });
  }

  it("announces a call as accepted before the provider has sent anything", async () => {
    await using gemini = await openGeminiServer(() => undefined);
    await using gateway = await openGateway();
    const call = gateway.client.generate(geminiRequest(gemini.url), new Metadata({ waitForReady: true }));
    call.on("error", () => undefined);
    await once(call, "metadata");
    call.cancel();
  });

  it("keeps a connection and its stream for twenty minutes of keepalive pings", async () => {
    const { promise: enough, resolve: end } = Promise.withResolvers<void>();
    await using gemini = await openGeminiServer(async (reply) => {
      reply.chunk(geminiChunk([{ text: "slow and " }]));
      await enough;
      reply.chunk(geminiChunk([{ text: "steady" }], { finishReason: "STOP" }));
      reply.end();
    });
    mock.timers.enable({ apis: ["setTimeout"] });
    try {
      await using gateway = await openGateway({ stallMs: HOUR_MS });
      const address = `127.0.0.1:${gateway.server.port}`;
      // One channel, so that the health checks use the stream's connection.
      const options = { "grpc.keepalive_time_ms": 20_000, "grpc.keepalive_timeout_ms": 20_000 };
      const channel = new Channel(address, credentials.createInsecure(), options);
      const override = { channelOverride: channel };
      const health = openHealthClient(address, override);
      const llm = openClient(address, override);
      const answer = collect(llm.generate(geminiRequest(gemini.url), new Metadata({ waitForReady: true })));
      await gemini.request(0);
      for (let minutes = 0; minutes < 20; minutes += 1 / 6) {
        mock.timers.tick(10_000);
        // The second answer comes after both sides' pings, and so do the answers to them.
        for (const service of ["", ""]) {
          expect(await check(health, service)).to.deep.equal({ serving: ServingStatus.SERVING });
        }
      }
      end();
      expect(await answer).to.include({ text: "slow and steady", error: undefined });
      channel.close();
    } finally {
      mock.timers.reset();
    }
  });
});
