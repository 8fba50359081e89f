import { once } from "node:events";
import { mkdir, mkdtempDisposable, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import type { GenerateRequest } from "#shared/generated/llm/v1/llm.ts";
import { listen } from "#shared/service/listen.ts";
import { openSseServer, type SseHandler } from "../../../test/support/sse-server.ts";
import { openGatewayProcess } from "./open-gateway-process.ts";
import { TEST_KEY, TEST_KEY_ENV, collect, type TestConfig } from "./open-gateway.ts";
import { openTokenServer } from "./token-server.ts";
import { chatRequest, completes, completion } from "./wire.ts";

/** Variables that the SDKs would read. */
const MISLEADING = {
  OPENAI_API_KEY: "stray-key",
  OPENAI_ORG_ID: "stray-org",
  OPENAI_ORGANIZATION: "stray-org",
  OPENAI_PROJECT_ID: "stray-project",
  OPENAI_BASE_URL: "http://127.0.0.1:9",
  ANTHROPIC_API_KEY: "stray-key",
  ANTHROPIC_AUTH_TOKEN: "stray-token",
  ANTHROPIC_BASE_URL: "http://127.0.0.1:9",
  ANTHROPIC_VERTEX_BASE_URL: "http://127.0.0.1:9",
  ANTHROPIC_VERTEX_PROJECT_ID: "stray-project",
  CLOUD_ML_REGION: "stray-region",
  GOOGLE_API_KEY: "stray-key",
  GOOGLE_CLOUD_PROJECT: "stray-project",
  AWS_ACCESS_KEY_ID: "stray-key",
  AWS_SECRET_ACCESS_KEY: "stray-key",
  AWS_SESSION_TOKEN: "stray-token",
  AWS_BEARER_TOKEN_BEDROCK: "stray-token",
  AWS_REGION: "stray-region",
  AWS_DEFAULT_REGION: "stray-region",
  AWS_ENDPOINT_URL: "http://127.0.0.1:9",
  AWS_ENDPOINT_URL_BEDROCK_RUNTIME: "http://127.0.0.1:9",
  AWS_USE_FIPS_ENDPOINT: "true",
  AWS_MAX_ATTEMPTS: "7",
  AWS_SDK_UA_APP_ID: "stray-app",
  AWS_LAMBDA_FUNCTION_NAME: "stray-function",
  _X_AMZN_TRACE_ID: "stray-trace",
  LANGSMITH_GATEWAY: "http://127.0.0.1:9",
  LANGSMITH_API_KEY: "stray-key",
};

/** The trace collector of these tests: a server that closes every connection immediately. */
async function openCollector() {
  let count = 0;
  const server = createServer((socket) => {
    count += 1;
    socket.destroy();
  });
  const called = once(server, "connection");
  await listen(server, { host: "127.0.0.1", port: 0 });
  const address = server.address();
  return {
    url: `http://127.0.0.1:${address !== null && typeof address === "object" ? address.port : 0}`,
    called,
    calls: () => count,
    [Symbol.asyncDispose]: async () => {
      server.close();
      await once(server, "close");
    },
  };
}

describe("llm-gateway process with the langchain backend", () => {
  it("does not use a login of Anthropic's tools in the home directory", async () => {
    await using home = await mkdtempDisposable(join(tmpdir(), "tarsy-home-"));
    const files = join(home.path, ".config/anthropic");
    await mkdir(join(files, "configs"), { recursive: true });
    await mkdir(join(files, "credentials"));
    const profile = { authentication: { type: "user_oauth", client_id: "c" } };
    await writeFile(join(files, "configs/default.json"), JSON.stringify(profile));
    const login = { access_token: "stray-token", refresh_token: "stray-refresh", expires_at: 4_102_444_800 };
    await writeFile(join(files, "credentials/default.json"), JSON.stringify(login), { mode: 0o600 });
    await using server = await openSseServer((reply) => reply.fail(400, { error: { message: "seen" } }));
    const request = chatRequest("anthropic", server.url, {}, { apiKeyEnv: "" });
    using gateway = await openGatewayProcess([request], { HOME: home.path });
    expect((await collect(gateway.client.generate(request))).error?.message).to.contain("seen");
    expect(JSON.stringify(server.requests[0]?.headers)).not.to.contain("stray");
    expect(server.requests[0]?.headers).not.to.have.any.keys("authorization", "x-api-key");
  });

  it("takes neither keys nor addresses from its environment", async () => {
    await using servers = new AsyncDisposableStack();
    const calls: { request: GenerateRequest; server: Awaited<ReturnType<typeof openSseServer>> }[] = [];
    for (const [provider, model] of [
      ["openai", "gpt-4o"],
      ["xai", "grok-4"],
      ["mistral", "mistral-large-latest"],
      ["anthropic", "claude-sonnet-4-5"],
      ["vertexai", "claude-sonnet-4-5"],
      ["vertexai", "gemini-2.5-pro"],
    ] as const) {
      const server = servers.use(
        await openSseServer((reply) => reply.fail(400, { error: { message: "seen" } })),
      );
      const config = { model, apiKeyEnv: "", project: "p1", location: "eu" };
      calls.push({ request: chatRequest(provider, server.url, {}, config), server });
    }
    using gateway = await openGatewayProcess(
      calls.map(({ request }) => request),
      MISLEADING,
    );
    for (const { request, server } of calls) {
      const { error } = await collect(gateway.client.generate(request));
      expect(error?.message).to.contain("seen");
      const { headers, path } = await server.request(0);
      expect(JSON.stringify({ headers, path })).not.to.contain("stray");
    }
    const { code, output } = await gateway.stop();
    expect(code).to.equal(0);
    // Each line is a JSON log line: the SDKs have printed nothing.
    for (const line of output.trim().split("\n")) expect(line).to.match(/^\{.*\}$/u);
  });

  it("signs for Bedrock with the named keys, and with the machine's own only if the entry says so", async () => {
    await using home = await mkdtempDisposable(join(tmpdir(), "tarsy-home-"));
    await mkdir(join(home.path, ".aws"));
    const profile = "region = stray-region\nendpoint_url = http://127.0.0.1:9\nsdk_ua_app_id = stray-app\n";
    await writeFile(join(home.path, ".aws/config"), `[default]\n${profile}`);
    await using server = await openSseServer((reply) => reply.fail(400, { message: "seen" }));
    const request = (settings: TestConfig["settings"]) =>
      chatRequest(
        "bedrock",
        server.url,
        {},
        { apiKeyEnv: "", settings: { region: "eu-west-1", ...settings } },
      );
    const named = request({ access_key_id_env: "NAMED_ID", secret_access_key_env: "NAMED_SECRET" });
    const machine = request({ machine_credentials: true });
    const none = request({});
    const env = { ...MISLEADING, HOME: home.path, AWS_EC2_METADATA_DISABLED: "true" };
    const own = { AWS_ACCESS_KEY_ID: "AKIDMACHINE", AWS_SECRET_ACCESS_KEY: "x", AWS_SESSION_TOKEN: "" };
    using gateway = await openGatewayProcess([named, machine, none], {
      ...env,
      ...own,
      NAMED_ID: "AKIDNAMED",
      NAMED_SECRET: "y",
    });
    for (const [index, one, id] of [
      [0, named, "AKIDNAMED"],
      [1, machine, "AKIDMACHINE"],
    ] as const) {
      expect((await collect(gateway.client.generate(one))).error?.message).to.contain("seen");
      const { headers } = server.requests[index] ?? {};
      expect(headers?.authorization).to.match(new RegExp(`Credential=${id}/\\d+/eu-west-1/bedrock/`, "u"));
      expect(JSON.stringify(headers)).not.to.contain("stray");
    }
    const { error } = await collect(gateway.client.generate(none));
    expect(error).to.deep.include({ code: "credentials", retryable: false });
    expect(server.requests).to.have.length(2);
  });

  it("signs in to Azure as the machine if the entry says so", async () => {
    await using server = await openSseServer((reply) => reply.fail(400, { error: { message: "seen" } }));
    await using metadata = await openTokenServer([200, { access_token: "token-m", expires_in: "3600" }]);
    const settings = { machine_credentials: true };
    const request = chatRequest("azure", server.url, {}, { apiKeyEnv: "", settings });
    const env = { AZURE_POD_IDENTITY_AUTHORITY_HOST: metadata.url };
    using gateway = await openGatewayProcess([request], env);
    expect((await collect(gateway.client.generate(request))).error?.message).to.contain("seen");
    expect(server.requests[0]?.headers.authorization).to.equal("Bearer token-m");
  });

  for (const allowed of [false, true]) {
    const what = allowed
      ? "sends traces and adds headers where LLM_SDK_VARIABLES allows it"
      : "sends no traces, adds no headers and says so";
    it(what, async () => {
      await using server = await openSseServer(completes([{ content: "a secret conversation" }]));
      await using collector = await openCollector();
      const tempting = {
        LANGSMITH_TRACING: "true",
        LANGCHAIN_TRACING_V2: "true",
        LANGSMITH_API_KEY: "traces-key",
        LANGSMITH_ENDPOINT: collector.url,
        LANGCHAIN_ENDPOINT: collector.url,
        LANGCHAIN_VERBOSE: "true",
        OPENAI_CUSTOM_HEADERS: "x-stray: yes",
      };
      const request = chatRequest("openai", server.url);
      using gateway = await openGatewayProcess([request], {
        ...tempting,
        [TEST_KEY_ENV]: TEST_KEY,
        LLM_SDK_VARIABLES: allowed ? Object.keys(tempting).join(", ") : "",
      });
      const { text } = await collect(gateway.client.generate(request));
      expect(text).to.equal("a secret conversation");
      expect("x-stray" in (server.requests[0]?.headers ?? {})).to.equal(allowed);
      if (allowed) {
        await collector.called;
        return;
      }
      const { output } = await gateway.stop();
      expect(collector.calls()).to.equal(0);
      expect(output).to.contain("LANGSMITH_TRACING").and.to.contain("OPENAI_CUSTOM_HEADERS");
      expect(output).not.to.contain("secret conversation").and.not.to.contain("traces-key");
    });
  }

  it("survives cancels and cut connections, and writes no key", async () => {
    await using servers = new AsyncDisposableStack();
    const open = async (handler: SseHandler) => servers.use(await openSseServer(handler));
    const refusing = await open((reply) => reply.fail(401, `no key ${TEST_KEY}`));
    const cutting = await open((reply) => reply.reset());
    const garbage = await open((reply) => {
      reply.raw(`event: message_start\ndata: {"broken ${TEST_KEY}\n\n`);
      reply.end();
    });
    const stalling = await open((reply) => reply.data(completion({ content: "well" })));
    const requests = ["openai", "anthropic"].map((provider) => ({
      failing: [refusing, cutting, garbage].map(({ url }) => chatRequest(provider, url)),
      stalling: chatRequest(provider, stalling.url),
    }));
    using gateway = await openGatewayProcess(
      requests.flatMap(({ failing, stalling: held }) => [...failing, held]),
      { [TEST_KEY_ENV]: TEST_KEY },
    );
    for (const [index, { failing, stalling: cancelled }] of requests.entries()) {
      for (const request of failing) {
        const { error } = await collect(gateway.client.generate(request));
        expect(error?.message).not.to.contain(TEST_KEY);
      }
      const call = gateway.client.generate(cancelled);
      const failed = once(call, "error");
      const request = await stalling.request(index);
      call.cancel();
      await failed;
      await request.closed;
    }
    const { code, output } = await gateway.stop();
    expect(code).to.equal(0);
    expect(output).to.contain('"code":"credentials"').and.not.to.contain(TEST_KEY);
  });
});
