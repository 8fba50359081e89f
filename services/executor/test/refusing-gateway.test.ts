import { Server, ServerCredentials, status, type ServerWritableStream } from "@grpc/grpc-js";
import { expect } from "chai";
import { GenerateRequest, LLMServiceService, type GenerateResponse } from "#shared/generated/llm/v1/llm.ts";
import { testConfigDirectory } from "../../../test/support/config-directory.ts";
import { TEST_GATEWAY_TOKEN } from "../../../test/support/gateway-token.ts";
import { until } from "../../../test/support/until.ts";
import { tryLlmCall } from "../llm/call-llm.ts";
import type { LlmOutcome } from "../llm/llm-reply.ts";
import { openLlmClient } from "../llm/open-llm-client.ts";
import { TestGateway } from "./test-gateway.ts";

type Call = ServerWritableStream<GenerateRequest, GenerateResponse>;

const MIB = 1024 * 1024;
const REQUEST = GenerateRequest.fromJSON({
  messages: [{ role: "user", content: "look" }],
  llmConfig: { providerName: "scripted", providerType: "scripted", backend: "scripted" },
});

async function ask(address: string, token = TEST_GATEWAY_TOKEN): Promise<LlmOutcome> {
  using resources = new DisposableStack();
  const llm = resources.adopt(openLlmClient({ address, maxMessageBytes: MIB, token }), (client) =>
    client.close(),
  );
  const { signal } = new AbortController();
  const handlers = { text: () => undefined, thinking: () => undefined };
  let outcome: LlmOutcome | undefined;
  // The connection may not be ready yet.
  await until("a gateway has answered", async () => {
    ({ outcome } = await tryLlmCall({ llm, request: REQUEST, signal, timeoutMs: 30_000 }, handlers));
    return outcome.kind !== "unreachable" || !/ECONNREFUSED|no connection/iu.test(outcome.reason);
  });
  if (outcome === undefined) throw new Error("no outcome");
  return outcome;
}

describe("a call that a gateway refuses", () => {
  it("waits where the token is wrong, and says which variables to set", async () => {
    await using config = await testConfigDirectory();
    await using gateway = await TestGateway.start(config.path);
    expect(await ask(gateway.address)).to.have.property("kind", "completed");
    const outcome = await ask(gateway.address, "another-token-0123456789");
    expect(outcome).to.have.property("kind", "unreachable");
    expect(outcome).to.have.property("message").that.includes("LLM_GATEWAY_PREVIOUS_TOKEN");
  });

  it("waits where the gateway has no room for it", async () => {
    const server = new Server();
    await using resources = new AsyncDisposableStack();
    resources.defer(() => server.forceShutdown());
    server.addService(LLMServiceService, {
      generate: (call: Call) => call.emit("error", { code: status.UNAVAILABLE, details: "no room" }),
    });
    const { promise, resolve } = Promise.withResolvers<number>();
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (_error, bound) => resolve(bound));
    const outcome = await ask(`127.0.0.1:${await promise}`);
    expect(outcome).to.have.property("kind", "unreachable");
    expect(JSON.stringify(outcome)).to.contain("no room");
  });
});
