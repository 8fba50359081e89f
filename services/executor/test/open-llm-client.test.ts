import { expect } from "chai";
import { GenerateRequest, type LLMServiceClient } from "#shared/generated/llm/v1/llm.ts";
import { testConfigDirectory } from "../../../test/support/config-directory.ts";
import { TEST_GATEWAY_TOKEN } from "../../../test/support/gateway-token.ts";
import { GATED_SCRIPT } from "../../../test/support/scripts.ts";
import { TcpProxy } from "../../../test/support/tcp-proxy.ts";
import { until } from "../../../test/support/until.ts";
import { tryLlmCall } from "../llm/call-llm.ts";
import type { LlmReply } from "../llm/llm-reply.ts";
import { openLlmClient } from "../llm/open-llm-client.ts";
import { GatewayProcess } from "./gateway-process.ts";

const MIB = 1024 * 1024;

const request = (content: string) =>
  GenerateRequest.fromJSON({
    messages: [{ role: "user", content }],
    llmConfig: { providerName: "scripted", providerType: "scripted", backend: "scripted" },
  });

function ask(llm: LLMServiceClient, content = "look"): Promise<LlmReply> {
  const ignore = () => Promise.resolve();
  const { signal } = new AbortController();
  return tryLlmCall(
    { llm, request: request(content), signal, timeoutMs: 30_000 },
    { text: ignore, thinking: ignore },
  );
}

async function outcomes(llm: LLMServiceClient, count: number): Promise<string[]> {
  const kinds: string[] = [];
  for (let call = 0; call < count; call += 1) kinds.push((await ask(llm)).outcome.kind);
  return kinds;
}

const completed = (count: number) => Array.from({ length: count }, () => "completed");

describe("openLlmClient", () => {
  const processes = new AsyncDisposableStack();
  let gateways: [GatewayProcess, GatewayProcess];
  let clients: DisposableStack;
  const open = (address: string, maxMessageBytes = 16 * MIB) =>
    clients.adopt(openLlmClient({ address, maxMessageBytes, token: TEST_GATEWAY_TOKEN }), (client) =>
      client.close(),
    );

  before(async () => {
    const { path } = processes.use(await testConfigDirectory({ script: GATED_SCRIPT }));
    gateways = [
      processes.use(await GatewayProcess.start(path)),
      processes.use(await GatewayProcess.start(path)),
    ];
  });
  after(() => processes.disposeAsync());
  beforeEach(() => (clients = new DisposableStack()));
  afterEach(() => clients.dispose());

  const addresses = () => gateways.map(({ address }) => address);

  it("distributes calls over all replicas, given by address or by host name", async () => {
    const [first, second] = addresses();
    for (const target of [`${first},${second}`, `${first}, localhost:${second?.split(":")[1]}`]) {
      const before = await Promise.all(gateways.map((gateway) => gateway.calls()));
      const llm = open(target);
      // Connections are established one by one; calls are evenly distributed once both exist.
      await until("both have answered", async () => {
        await outcomes(llm, 2);
        const now = await Promise.all(gateways.map((gateway) => gateway.calls()));
        return now.every((calls, index) => calls > (before[index] ?? 0));
      });
      const start = await Promise.all(gateways.map((gateway) => gateway.calls()));
      expect(await outcomes(llm, 10)).to.deep.equal(completed(10));
      const end = await Promise.all(gateways.map((gateway) => gateway.calls()));
      expect(end.map((calls, index) => calls - (start[index] ?? 0))).to.deep.equal([5, 5]);
    }
  });

  it("uses the other replicas when one dies, and uses it again after a restart", async () => {
    const [first] = gateways;
    const llm = open(addresses().join(","));
    expect(await outcomes(llm, 2)).to.deep.equal(completed(2));
    await first.kill();
    // A call may be on the connection that has just broken: a step makes it again.
    await until("the broken connection is noticed", async () =>
      (await outcomes(llm, 2)).every((outcome) => outcome === "completed"),
    );
    const afterwards = await outcomes(llm, 10);
    await first.start();
    expect(afterwards).to.deep.equal(completed(10));
    await until("the first one answers again", async () => {
      expect(await outcomes(llm, 2)).to.deep.equal(completed(2));
      return (await first.calls()) > 0;
    });
  });

  it("waits for the first reachable replica and skips unreachable ones", async () => {
    const [first] = addresses();
    const llm = open(`no-such-host.invalid:1,127.0.0.1:1,${first}`);
    expect(await outcomes(llm, 5)).to.deep.equal(completed(5));
  });

  it("reports a message that is too large, in either direction, without gRPC's wording", async () => {
    const [address = ""] = addresses();
    const text = "x".repeat(2 * MIB);
    for (const llm of [open(address, MIB), open(address, 64 * MIB)]) {
      const { outcome } = await ask(llm, text.repeat(10));
      expect(outcome).to.deep.include({ kind: "failed", code: "message_too_large", retryable: false });
      expect(outcome)
        .to.have.property("message")
        .that.matches(/^[^:]+: set .*max_tool_result_tokens$/u);
    }
  });

  it("reports a broken connection without gRPC's wording, with the cause for the log", async () => {
    const { promise: hanging, resolve: hangs } = Promise.withResolvers<void>();
    const llm = open(gateways[0].address);
    const reply = tryLlmCall(
      { llm, request: request("HANG"), signal: new AbortController().signal, timeoutMs: 30_000 },
      { text: () => Promise.resolve(hangs()), thinking: () => Promise.resolve() },
    );
    await hanging;
    await gateways[0].kill();
    const { outcome, text } = await reply;
    await gateways[0].start();
    expect(text).to.equal("this goes on");
    expect(outcome).to.deep.include({
      kind: "interrupted",
      message: "the connection to the LLM gateway broke before the answer was complete",
    });
    expect(outcome)
      .to.have.property("reason")
      .that.matches(/UNAVAILABLE/u);
  });

  it("says that an address that accepts connections and stays silent cannot be reached", async () => {
    await using silent = await TcpProxy.start({ host: "127.0.0.1", port: () => 1 });
    silent.blackhole(true);
    const { outcome } = await ask(open(`127.0.0.1:${silent.port}`));
    expect(outcome).to.deep.equal({
      kind: "unreachable",
      message: `no LLM gateway can be reached at 127.0.0.1:${silent.port}`,
      reason: "no connection within 5 s",
    });
  });
});
