import { promises as dns } from "node:dns";
import { mock } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { Metadata, Server, ServerCredentials, type ServerWritableStream } from "@grpc/grpc-js";
import { expect } from "chai";
import {
  GenerateRequest,
  LLMServiceService,
  type GenerateResponse,
  type LLMServiceClient,
} from "#shared/generated/llm/v1/llm.ts";
import { TEST_GATEWAY_TOKEN } from "../../../test/support/gateway-token.ts";
import { TcpProxy } from "../../../test/support/tcp-proxy.ts";
import { tryLlmCall } from "../llm/call-llm.ts";
import type { LlmReply } from "../llm/llm-reply.ts";
import { openLlmClient } from "../llm/open-llm-client.ts";

const HOUR_MS = 3_600_000;
const MIB = 1024 * 1024;

type Call = ServerWritableStream<GenerateRequest, GenerateResponse>;

/** A gRPC server that leaves every call open until `finish` ends all of them. */
class OpenCalls implements Disposable {
  readonly #server = new Server();
  readonly calls: Call[] = [];

  static async listen(address: string): Promise<{ gateway: OpenCalls; port: number }> {
    const gateway = new OpenCalls();
    gateway.#server.addService(LLMServiceService, {
      generate: (call: Call) => {
        gateway.calls.push(call);
        call.sendMetadata(new Metadata());
        call.write({ content: { $case: "text", value: { content: "whole" } }, isFinal: false });
      },
    });
    const port = await new Promise<number>((resolve, reject) => {
      gateway.#server.bindAsync(address, ServerCredentials.createInsecure(), (error, bound) => {
        if (error) reject(error);
        else resolve(bound);
      });
    });
    return { gateway, port };
  }

  finish(): void {
    for (const call of this.calls) {
      call.write({ content: undefined, isFinal: true });
      call.end();
    }
  }

  [Symbol.dispose](): void {
    this.#server.forceShutdown();
  }
}

function ask(llm: LLMServiceClient): { reply: Promise<LlmReply>; begun: Promise<void> } {
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const reply = tryLlmCall(
    { llm, request: GenerateRequest.fromJSON({}), signal: new AbortController().signal, timeoutMs: HOUR_MS },
    { text: () => Promise.resolve(begin()), thinking: () => Promise.resolve() },
  );
  return { reply, begun };
}

/** Waits without a timer, because the test's clock stands still. */
async function untilTurn(condition: () => boolean): Promise<void> {
  while (!condition()) await turn();
}

describe("openLlmClient's connections", () => {
  let resources: DisposableStack;
  beforeEach(() => {
    resources = new DisposableStack();
    mock.timers.enable({ apis: ["setTimeout", "setInterval"] });
  });
  afterEach(() => {
    mock.reset(); // the clock too
    resources.dispose();
  });

  const open = (address: string) =>
    resources.adopt(openLlmClient({ address, maxMessageBytes: MIB, token: TEST_GATEWAY_TOKEN }), (client) =>
      client.close(),
    );
  const listen = async (address: string) => {
    const { gateway, port } = await OpenCalls.listen(address);
    resources.use(gateway);
    return { gateway, port };
  };

  for (const form of ["", "dns:", "dns:///"]) {
    it(`finds a new replica behind "${form}name:port" while a call is running, which goes on`, async () => {
      const { gateway: first, port } = await listen("127.0.0.1:0");
      const { gateway: second } = await listen(`127.0.0.2:${port}`);
      let addresses = ["127.0.0.1"];
      let lookups = 0;
      mock.method(dns, "lookup", () => {
        lookups += 1;
        return Promise.resolve(addresses.map((address) => ({ address, family: 4 })));
      });
      const llm = open(`${form}gateway.test:${port}`);
      const running = ask(llm);
      await running.begun;
      // Only the new replica: an incomplete answer must not end the running call either.
      addresses = ["127.0.0.2"];
      const before = lookups;
      mock.timers.tick(30_000);
      await untilTurn(() => lookups > before);
      const replies = [running.reply];
      while (second.calls.length === 0) {
        const { reply, begun } = ask(llm);
        replies.push(reply);
        await begun;
      }
      // Long enough for gRPC to drop unused connections, and for several pings.
      for (let seconds = 0; seconds < 120; seconds += 5) {
        mock.timers.tick(5_000);
        const { reply, begun } = ask(llm);
        replies.push(reply);
        await begun;
      }
      first.finish();
      second.finish();
      for (const { text, outcome } of await Promise.all(replies)) {
        expect({ text, outcome }).to.deep.equal({ text: "whole", outcome: { kind: "completed" } });
      }
    });
  }

  it("keeps a call whose gateway is silent for 15 s, and gives it up when it is gone for 40 s", async () => {
    const { gateway, port } = await listen("127.0.0.1:0");
    await using proxy = await TcpProxy.start({ host: "127.0.0.1", port });
    const llm = open(`127.0.0.1:${proxy.port}`);
    const first = ask(llm);
    await first.begun;
    proxy.blackhole(true);
    mock.timers.tick(20_000); // the ping
    mock.timers.tick(15_000);
    for (let turns = 0; turns < 100; turns += 1) await turn();
    proxy.blackhole(false);
    gateway.finish();
    expect((await first.reply).outcome).to.deep.equal({ kind: "completed" });
    const second = ask(llm);
    await second.begun;
    proxy.blackhole(true);
    mock.timers.tick(20_000);
    mock.timers.tick(20_000);
    expect((await second.reply).outcome).to.include({ kind: "interrupted" });
  });
});
