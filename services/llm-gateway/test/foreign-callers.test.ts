import { BinaryWriter } from "@bufbuild/protobuf/wire";
import { status } from "@grpc/grpc-js";
import { expect } from "chai";
import { hashProvider } from "#shared/contracts/provider-hash.ts";
import { GenerateRequest, GenerateResponse } from "#shared/generated/llm/v1/llm.ts";
import { TEST_GATEWAY_TOKEN } from "../../../test/support/gateway-token.ts";
import { openSseServer } from "../../../test/support/sse-server.ts";
import { until } from "../../../test/support/until.ts";
import {
  TEST_KEY,
  TEST_KEY_ENV,
  TEST_PROVIDERS,
  collect,
  message,
  openClient,
  openGateway,
  waitForReady,
} from "./open-gateway.ts";
import { chatRequest, completes } from "./wire.ts";

const SECRET = "postgres://tarsy:hunter2@127.0.0.1/tarsy";
const ENV = { [TEST_KEY_ENV]: TEST_KEY, DATABASE_URL: SECRET };
const PATH = "/llm.v1.LLMService/Generate";

/** The gRPC status code that a call fails with. */
async function codeOf(call: Promise<unknown>): Promise<unknown> {
  const error: unknown = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return error instanceof Error && "code" in error ? error.code : error;
}

/** A request that fills the reserved fields, with an address and a variable of the caller's choice. */
function requestNaming(variable: string, baseUrl: string, name: string): Buffer {
  const config = new BinaryWriter();
  const put = (field: number, text: string) => config.uint32(field * 8 + 2).string(text);
  put(1, "openai");
  put(2, "gpt-4o");
  put(3, variable);
  put(5, baseUrl);
  put(10, "langchain");
  put(11, "../../etc/passwd");
  if (name !== "") put(12, name);
  put(13, "openai");
  const request = { ...GenerateRequest.fromJSON({}), messages: [message("user", "hello")] };
  const bytes = new BinaryWriter().raw(GenerateRequest.encode(request).finish());
  return Buffer.from(
    bytes
      .uint32(3 * 8 + 2)
      .bytes(config.finish())
      .finish(),
  );
}

describe("llm-gateway's callers", () => {
  it("are refused without an accepted token, whatever they ask for", async () => {
    await using provider = await openSseServer(completes([{ content: "fine" }]));
    await using gateway = await openGateway({ env: ENV });
    const request = chatRequest("openai", provider.url);
    for (const token of ["", "wrong", `${TEST_GATEWAY_TOKEN}x`, TEST_GATEWAY_TOKEN.slice(1)]) {
      const client = openClient(`127.0.0.1:${gateway.server.port}`, {}, token);
      const call = client.generate(request, waitForReady());
      let isAccepted = false;
      call.on("metadata", () => (isAccepted = true));
      expect(await codeOf(collect(call)), token).to.equal(status.UNAUTHENTICATED);
      // A caller that sees no metadata knows that its call has cost nothing.
      expect(isAccepted, token).to.equal(false);
      client.close();
    }
    expect(provider.requests).to.have.length(0);
    expect(await gateway.metrics.metrics()).to.contain('calls_refused_total{reason="unauthenticated"} 4');
    expect((await gateway.ask(request)).text).to.equal("fine");
  });

  it("may use either of two tokens while one is replaced", async () => {
    await using provider = await openSseServer(completes([{ content: "fine" }]));
    await using gateway = await openGateway({
      env: ENV,
      tokens: ["new-token-0123456789", TEST_GATEWAY_TOKEN],
    });
    for (const token of ["new-token-0123456789", TEST_GATEWAY_TOKEN]) {
      const client = openClient(`127.0.0.1:${gateway.server.port}`, {}, token);
      const call = client.generate(chatRequest("openai", provider.url), waitForReady());
      expect((await collect(call)).text).to.equal("fine");
      client.close();
    }
  });

  it("get no variable sent to an address of their choice, with a token either", async () => {
    await using provider = await openSseServer(completes([{ content: "fine" }]));
    await using listener = await openSseServer(completes([{ content: "caught" }]));
    await using gateway = await openGateway({ env: ENV });
    const send = (bytes: Buffer) =>
      collect(
        gateway.client.makeServerStreamRequest(
          PATH,
          (raw: Buffer) => raw,
          (raw: Buffer) => GenerateResponse.decode(raw),
          bytes,
          waitForReady(),
        ),
      );
    const { error } = await send(requestNaming("DATABASE_URL", listener.url, ""));
    expect(error).to.include({ code: "unknown_provider", retryable: false });
    expect(error?.message).not.to.contain("hunter2");
    // Beside the name of a provider, address and variable have no effect.
    const name = chatRequest("openai", provider.url).llmConfig?.providerName ?? "";
    expect((await send(requestNaming("DATABASE_URL", listener.url, name))).text).to.equal("fine");
    expect(listener.requests).to.have.length(0);
    expect(JSON.stringify(provider.requests[0]?.headers)).to.contain(TEST_KEY).and.not.to.contain("hunter2");
  });

  it("get a terminal error for a name that the gateway does not have, and for a type that has changed", async () => {
    await using gateway = await openGateway();
    const request = chatRequest("openai", "http://127.0.0.1:9");
    const known = request.llmConfig;
    if (known === undefined) throw new Error("no llm_config");
    const unknown = await gateway.ask({ ...request, llmConfig: { ...known, providerName: "gone" } });
    expect(unknown.error).to.include({ code: "unknown_provider", retryable: false });
    // It lists some of the names, of which other test files in this process may have added many.
    expect(unknown.error?.message).to.match(/no provider "gone", it has provider-\d+/u);
    const changed = await gateway.ask({ ...request, llmConfig: { ...known, providerType: "google" } });
    expect(changed.error).to.include({ code: "changed_provider", retryable: false });
    expect(changed.error?.message)
      .to.contain(known.providerName)
      .and.to.contain("openai")
      .and.to.contain("google");
  });

  it("are warned if their provider's entry differs from the gateway's, and only then", async () => {
    await using provider = await openSseServer(completes([{ content: "fine" }]));
    await using gateway = await openGateway();
    const request = chatRequest("openai", provider.url);
    const known = request.llmConfig;
    if (known === undefined) throw new Error("no llm_config");
    const entry = TEST_PROVIDERS.get(known.providerName);
    if (entry === undefined) throw new Error("not configured");
    const warningsFor = async (entryHash: string, nativeTools: Record<string, boolean> = {}) => {
      const llmConfig = { ...known, entryHash, nativeTools };
      const { chunks, text } = await gateway.ask({ ...request, llmConfig });
      expect(text).to.equal("fine");
      return chunks.flatMap(({ content }) => (content?.$case === "warning" ? [content.value] : []));
    };
    expect(await warningsFor("")).to.deep.equal([]);
    expect(await warningsFor(hashProvider(entry))).to.deep.equal([]);
    // An agent may switch native tools; the hash is that of its session's entry, which has them.
    const native_tools = { google_search: true };
    expect(await warningsFor(hashProvider({ ...entry, native_tools }), native_tools)).to.deep.equal([]);
    expect(await warningsFor(hashProvider(entry), native_tools)).to.have.length(1);
    const [warning, ...more] = await warningsFor("0".repeat(64));
    expect(more).to.deep.equal([]);
    expect(warning).to.have.property("code", "provider_differs");
    expect(warning?.message).to.contain(known.providerName);
  });

  it("get a deadline if they have none", async () => {
    await using provider = await openSseServer(() => undefined);
    await using gateway = await openGateway({ callTimeoutMs: 200 });
    const { error } = await gateway.ask(chatRequest("openai", provider.url));
    expect(error).to.include({ code: "timeout", retryable: true });
    expect(error?.message).to.contain("no deadline");
    // The deadline may end the call before the request has arrived.
    await Promise.all(provider.requests.map(({ closed }) => closed));
  });

  it("are refused while as many calls as allowed are running, and served after that", async () => {
    await using provider = await openSseServer([() => undefined, completes([{ content: "fine" }])]);
    await using gateway = await openGateway({ limits: { calls: 1 } });
    const request = chatRequest("openai", provider.url);
    const held = gateway.client.generate(request, waitForReady());
    held.on("error", () => undefined);
    await provider.request(0);
    expect(await codeOf(gateway.ask(request))).to.equal(status.UNAVAILABLE);
    held.cancel();
    await until("the call has ended", async () => (await codeOf(gateway.ask(request))) === undefined);
    expect(await gateway.metrics.metrics()).to.match(/calls_refused_total\{reason="too_many_calls"\} [1-9]/u);
  });

  it("are refused while their conversations do not fit, and small ones are served beside large ones", async () => {
    const large = { messages: [message("user", "x".repeat(3 * 1024 * 1024))] };
    await using provider = await openSseServer([() => undefined, completes([{ content: "fine" }])]);
    await using gateway = await openGateway({ limits: { bytes: 8 * 1024 * 1024 } });
    const ask = (request = {}) => gateway.ask(chatRequest("openai", provider.url, request));
    const held = gateway.client.generate(chatRequest("openai", provider.url, large), waitForReady());
    held.on("error", () => undefined);
    await provider.request(0);
    expect(await codeOf(ask(large))).to.equal(status.UNAVAILABLE);
    expect((await ask()).text).to.equal("fine");
    expect(await gateway.metrics.metrics()).to.contain('calls_refused_total{reason="too_many_bytes"} 1');
    held.cancel();
    await until("the call has ended", async () => (await codeOf(ask(large))) === undefined);
  });
});
