import { expect } from "chai";
import type { CallOptions } from "@grpc/grpc-js";
import type { EmbedRequest, EmbedResponse } from "#shared/generated/llm/v1/llm.ts";
import { openEmbeddingServer } from "../../../test/support/embedding-server.ts";
import { openSseServer } from "../../../test/support/sse-server.ts";
import { TEST_KEY, TEST_KEY_ENV, openClient, openGateway, waitForReady } from "./open-gateway.ts";

const TEXTS = [
  { text: "disk", isQuery: true },
  { text: "network", isQuery: false },
];
const VECTORS: Readonly<Record<string, readonly number[]>> = { disk: [3, 4], network: [0, 2] };
const embed = (text: string) => VECTORS[text.replace(/^.*(?:query|text): /u, "")] ?? [1, 1];
const MODELS = { google: "gemini-embedding-2-preview", openai: "text-embedding-3-small" } as const;

type Gateway = Awaited<ReturnType<typeof openGateway>>;
type Provider = keyof typeof MODELS;

const request = (provider: Provider, more: Partial<EmbedRequest> = {}): EmbedRequest => ({
  sessionId: "s",
  provider,
  model: MODELS[provider],
  dimensions: 2,
  texts: TEXTS,
  ...more,
});
const ask = async (
  { client }: Pick<Gateway, "client">,
  message: EmbedRequest,
  options: CallOptions = {},
): Promise<EmbedResponse["outcome"]> =>
  new Promise((resolve, reject) => {
    client.embed(message, waitForReady(), options, (error, response) => {
      if (error) reject(error);
      else resolve(response.outcome);
    });
  });
const settings = (provider: Provider, base_url: string) => ({
  provider,
  model: MODELS[provider],
  dimensions: 2,
  api_key_env: TEST_KEY_ENV,
  base_url: provider === "openai" ? `${base_url}/v1` : base_url,
});

describe("Embed", () => {
  for (const provider of ["google", "openai"] as const) {
    it(`returns vectors of length 1 in the order of the texts: ${provider}`, async () => {
      await using server = await openEmbeddingServer(embed, { key: TEST_KEY });
      await using gateway = await openGateway({ embedding: settings(provider, server.url) });
      const outcome = await ask(gateway, request(provider));
      if (outcome?.$case !== "embeddings") throw new Error(JSON.stringify(outcome));
      const values = outcome.value.vectors.map((vector) =>
        vector.values.map((value) => Math.round(value * 1_000) / 1_000),
      );
      expect(values).to.deep.equal([
        [0.6, 0.8],
        [0, 1],
      ]);
      expect(outcome.value.inputTokens).to.equal(provider === "openai" ? 2 : 0);
      expect(server.requests[0]?.path).to.not.include(TEST_KEY);
      const metrics = await gateway.metrics.metrics();
      expect(metrics).to.include(
        `tarsy_llm_calls_total{provider="${provider}",model="${MODELS[provider]}",outcome="ok"} 1`,
      );
    });

    it(`says what the provider refused, without the key: ${provider}`, async () => {
      const message = `bad key ${TEST_KEY}`;
      const fails = () => ({ status: 401, body: { error: { code: 401, message, type: "invalid" } } });
      await using server = await openEmbeddingServer(embed, { fails });
      await using gateway = await openGateway({ embedding: settings(provider, server.url) });
      const outcome = await ask(gateway, request(provider));
      expect(outcome?.$case).to.equal("error");
      expect(outcome?.value).to.include({ code: "credentials", retryable: false });
      expect(JSON.stringify(outcome)).to.include(TEST_KEY_ENV).and.not.include(TEST_KEY);
      expect(server.requests).to.have.length(1);
    });
  }

  it("tells models before the second generation in a field what a text is for", async () => {
    await using server = await openEmbeddingServer(embed, { key: TEST_KEY });
    await using gateway = await openGateway({ embedding: settings("google", server.url) });
    const outcome = await ask(gateway, request("google", { model: "gemini-embedding-001" }));
    expect(outcome?.$case).to.equal("embeddings");
    const sent = JSON.stringify(server.requests[0]?.body);
    expect(sent).to.include('"taskType":"RETRIEVAL_QUERY"').and.include('"taskType":"RETRIEVAL_DOCUMENT"');
    expect(sent).to.not.include("query: ");
  });

  it("tries again after errors that pass", async () => {
    let left = 2;
    const fails = () => {
      left -= 1;
      return left >= 0 ? { status: 503, body: { error: { message: "overloaded" } } } : undefined;
    };
    await using server = await openEmbeddingServer(embed, { key: TEST_KEY, fails });
    await using gateway = await openGateway({ embedding: settings("google", server.url) });
    expect((await ask(gateway, request("google")))?.$case).to.equal("embeddings");
    expect(server.requests).to.have.length(3);
  });

  it("types errors of the request, of the answer and of the connection", async () => {
    await using server = await openEmbeddingServer(embed, { key: TEST_KEY });
    await using page = await openSseServer((reply) => reply.fail(200, "<html><title>Sign in</title>"));
    await using gateway = await openGateway({ embedding: settings("google", server.url) });
    await using signIn = await openGateway({ embedding: settings("openai", page.url) });
    await using away = await openGateway({ embedding: settings("google", "http://127.0.0.1:1") });
    await using without = await openGateway();
    await using keyless = await openGateway({ embedding: settings("google", server.url), env: {} });
    const x = { text: "x", isQuery: false };
    for (const [at, message, code, said] of [
      [without, request("google"), "unknown_provider", "defaults.memory.embedding"],
      [gateway, request("openai"), "changed_provider", "google"],
      [gateway, request("google", { model: "" }), "invalid_request", "model"],
      [gateway, request("google", { dimensions: 0 }), "invalid_request", "dimensions must be from 1 to 4096"],
      [gateway, request("google", { dimensions: 3 }), "invalid_request", "2 dimensions instead of 3"],
      [gateway, request("google", { texts: [] }), "invalid_request", "1 to 64, got 0"],
      [
        gateway,
        request("google", { texts: Array.from({ length: 65 }, () => x) }),
        "invalid_request",
        "got 65",
      ],
      [
        gateway,
        request("google", { texts: [{ text: "x".repeat(6_001), isQuery: true }] }),
        "invalid_request",
        "texts[0]",
      ],
      [keyless, request("google"), "credentials", TEST_KEY_ENV],
      [signIn, request("openai"), "invalid_request", "Sign in"],
      [away, request("google"), "max_retries", "ECONNREFUSED"],
    ] as const) {
      const outcome = await ask(at, message);
      expect(outcome?.$case, said).to.equal("error");
      expect(outcome?.value, said).to.have.property("code", code);
      expect(JSON.stringify(outcome)).to.include(said);
    }
  });

  it("refuses calls without the token, and closes the provider's socket with a cancelled one", async () => {
    let isAsked = () => {};
    const asked = new Promise<void>((resolve) => (isAsked = resolve));
    await using server = await openSseServer(async (_reply, { closed }) => {
      isAsked();
      await closed;
    });
    await using gateway = await openGateway({ embedding: settings("google", server.url) });
    const stranger = openClient(`127.0.0.1:${gateway.server.port}`, {}, "wrong");
    const refused = await ask({ client: stranger }, request("google")).catch((error: unknown) => error);
    expect(refused).to.be.an("error").with.property("code", 16);
    stranger.close();
    const call = gateway.client.embed(request("google"), waitForReady(), () => undefined);
    await asked;
    call.cancel();
    await (
      await server.request(0)
    ).closed;
  });
});
