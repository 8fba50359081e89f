import { once } from "node:events";
import { mkdir, mkdtempDisposable, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import type { GenerateRequest } from "#shared/generated/llm/v1/llm.ts";
import { openSseServer, type SseHandler, type SseReply } from "../../../test/support/sse-server.ts";
import { openGatewayProcess } from "./open-gateway-process.ts";
import { TEST_KEY, TEST_KEY_ENV, collect, type TestConfig } from "./open-gateway.ts";
import { openTokenServer } from "./token-server.ts";
import { openCollector, tempting } from "./trace-collector.ts";
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
};

/** A conversation that no trace may carry. */
const SECRET = "a secret conversation";

/** Writes a profile of AWS's tools into a home directory. */
async function writeProfile(home: string): Promise<void> {
  await mkdir(join(home, ".aws"));
  const aws = "region = stray-region\nendpoint_url = http://127.0.0.1:9\nsdk_ua_app_id = stray-app\n";
  await writeFile(join(home, ".aws/config"), `[default]\n${aws}`);
}

describe("llm-gateway process with the langchain backend", () => {
  const resources = new AsyncDisposableStack();
  type Server = Awaited<ReturnType<typeof openSseServer>>;
  type Process = Awaited<ReturnType<typeof openGatewayProcess>>;
  let keyless: { request: GenerateRequest; server: Server }[];
  let bedrock: { server: Server; named: GenerateRequest; machine: GenerateRequest; none: GenerateRequest };
  let azure: { server: Server; request: GenerateRequest };
  let traced: { server: Server; request: GenerateRequest };
  let broken: { failing: GenerateRequest[]; stalling: GenerateRequest }[];
  let stalling: Server;
  let collector: Awaited<ReturnType<typeof openCollector>>;
  let gateway: Process;

  // One process for all that an environment must not do.
  before(async () => {
    const open = async (handler: SseHandler) => resources.use(await openSseServer(handler));
    const seen = (reply: SseReply) => reply.fail(400, { error: { message: "seen" }, message: "seen" });
    const home = resources.use(await mkdtempDisposable(join(tmpdir(), "tarsy-home-")));
    await writeProfile(home.path);
    keyless = [];
    for (const [provider, model] of [
      ["openai", "gpt-4o"],
      ["xai", "grok-4"],
      ["mistral", "mistral-large-latest"],
      ["anthropic", "claude-sonnet-4-5"],
      ["vertexai", "claude-sonnet-4-5"],
      ["vertexai", "gemini-2.5-pro"],
    ] as const) {
      const server = await open(seen);
      const config = { model, apiKeyEnv: "", project: "p1", location: "eu" };
      keyless.push({ request: chatRequest(provider, server.url, {}, config), server });
    }
    const aws = await open(seen);
    const signed = (settings: TestConfig["settings"]) =>
      chatRequest("bedrock", aws.url, {}, { apiKeyEnv: "", settings: { region: "eu-west-1", ...settings } });
    bedrock = {
      server: aws,
      named: signed({ access_key_id_env: "NAMED_ID", secret_access_key_env: "NAMED_SECRET" }),
      machine: signed({ machine_credentials: true }),
      none: signed({}),
    };
    const metadata = resources.use(
      await openTokenServer([200, { access_token: "token-m", expires_in: "3600" }]),
    );
    const deployment = await open(seen);
    const asMachine = { apiKeyEnv: "", settings: { machine_credentials: true } };
    azure = { server: deployment, request: chatRequest("azure", deployment.url, {}, asMachine) };
    const telling = await open(completes([{ content: SECRET }]));
    traced = { server: telling, request: chatRequest("openai", telling.url) };
    collector = resources.use(await openCollector());
    const refusing = await open((reply) => reply.fail(401, `no key ${TEST_KEY}`));
    const cutting = await open((reply) => reply.reset());
    const garbage = await open((reply) => {
      reply.raw(`event: message_start\ndata: {"broken ${TEST_KEY}\n\n`);
      reply.end();
    });
    stalling = await open((reply) => reply.data(completion({ content: "well" })));
    broken = ["openai", "anthropic"].map((provider) => ({
      failing: [refusing, cutting, garbage].map(({ url }) => chatRequest(provider, url)),
      stalling: chatRequest(provider, stalling.url),
    }));
    const { named, machine, none } = bedrock;
    const requests = [
      ...keyless.map(({ request }) => request),
      named,
      machine,
      none,
      azure.request,
      traced.request,
      ...broken.flatMap(({ failing, stalling: held }) => [...failing, held]),
    ];
    gateway = resources.use(
      await openGatewayProcess(requests, {
        ...MISLEADING,
        ...tempting(collector.url),
        HOME: home.path,
        AWS_EC2_METADATA_DISABLED: "true",
        AWS_ACCESS_KEY_ID: "AKIDMACHINE",
        AWS_SECRET_ACCESS_KEY: "x",
        AWS_SESSION_TOKEN: "",
        NAMED_ID: "AKIDNAMED",
        NAMED_SECRET: "y",
        AZURE_POD_IDENTITY_AUTHORITY_HOST: metadata.url,
        [TEST_KEY_ENV]: TEST_KEY,
      }),
    );
  });
  after(() => resources.disposeAsync());

  const ask = (request: GenerateRequest) => collect(gateway.client.generate(request));

  it("takes neither keys nor addresses from its environment or its home directory", async () => {
    for (const { request, server } of keyless) {
      expect((await ask(request)).error?.message).to.contain("seen");
      const { headers, path } = await server.request(0);
      expect(JSON.stringify({ headers, path })).not.to.contain("stray");
      expect(headers).not.to.have.any.keys("authorization", "x-api-key");
    }
  });

  it("signs for Bedrock with the named keys, and with the machine's own only if the entry says so", async () => {
    const { server, named, machine, none } = bedrock;
    for (const [index, request, id] of [
      [0, named, "AKIDNAMED"],
      [1, machine, "AKIDMACHINE"],
    ] as const) {
      expect((await ask(request)).error?.message).to.contain("seen");
      const { headers } = server.requests[index] ?? {};
      expect(headers?.authorization).to.match(new RegExp(`Credential=${id}/\\d+/eu-west-1/bedrock/`, "u"));
      expect(JSON.stringify(headers)).not.to.contain("stray");
    }
    expect((await ask(none)).error).to.deep.include({ code: "credentials", retryable: false });
    expect(server.requests).to.have.length(2);
  });

  it("signs in to Azure as the machine if the entry says so", async () => {
    expect((await ask(azure.request)).error?.message).to.contain("seen");
    expect(azure.server.requests[0]?.headers.authorization).to.equal("Bearer token-m");
  });

  it("survives cancels and cut connections", async () => {
    for (const [index, { failing, stalling: cancelled }] of broken.entries()) {
      for (const request of failing) {
        expect((await ask(request)).error?.message).not.to.contain(TEST_KEY);
      }
      const call = gateway.client.generate(cancelled);
      const failed = once(call, "error");
      const request = await stalling.request(index);
      call.cancel();
      await failed;
      await request.closed;
    }
  });

  it("sends no traces, adds no headers and says so, and writes no key and nothing but its own log", async () => {
    expect((await ask(traced.request)).text).to.equal(SECRET);
    expect(traced.server.requests[0]?.headers).not.to.have.any.keys("x-stray");
    const { code, output } = await gateway.stop();
    expect(code).to.equal(0);
    expect(collector.calls()).to.equal(0);
    expect(output).to.contain("LANGSMITH_TRACING").and.to.contain("OPENAI_CUSTOM_HEADERS");
    expect(output).to.contain('"code":"credentials"').and.not.to.contain(TEST_KEY);
    expect(output).not.to.contain("secret conversation").and.not.to.contain("traces-key");
    // Each line is a JSON log line: the SDKs have printed nothing.
    for (const line of output.trim().split("\n")) expect(line).to.match(/^\{.*\}$/u);
  });
});
