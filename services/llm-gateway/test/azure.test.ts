import { mkdtempDisposable, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { openSseServer, type SseHandler } from "../../../test/support/sse-server.ts";
import { openGateway, type TestConfig } from "./open-gateway.ts";
import { openTokenServer } from "./token-server.ts";
import { chatRequest, completes, completion, named } from "./wire.ts";

const ENV = {
  AZURE_KEY: "azure-key-1",
  TENANT: "tenant-1",
  CLIENT: "client-1",
  SECRET: "secret-that-must-not-leak",
};
const APPLICATION = { tenant_id_env: "TENANT", client_id_env: "CLIENT", client_secret_env: "SECRET" };

const chatDone = completes([{ content: "done" }]);
const responsesDone: SseHandler = (reply) => {
  reply.event(named("response.output_text.delta", { output_index: 0, content_index: 0, delta: "done" }));
  reply.event(named("response.completed", { response: { id: "resp_1", status: "completed", output: [] } }));
  reply.end();
};
const token = (text: string, seconds: number | string = 3_600): [number, object] => [
  200,
  { token_type: "Bearer", expires_in: seconds, access_token: text },
];

/** Makes calls one after another with one gateway. */
async function play(
  handlers: SseHandler | readonly SseHandler[],
  {
    config = {},
    env = ENV,
    calls = 1,
  }: { config?: TestConfig; env?: Record<string, string>; calls?: number } = {},
) {
  await using server = await openSseServer(handlers);
  await using gateway = await openGateway({ env });
  const settings = { model: "gpt-4o", apiKeyEnv: "", baseUrl: server.url, ...config };
  const answers = [];
  for (let call = 0; call < calls; call += 1) {
    answers.push(await gateway.ask(chatRequest("azure", server.url, {}, settings)));
  }
  expect(JSON.stringify(answers.map(({ error }) => error ?? ""))).not.to.contain(ENV.SECRET);
  const answer = answers.at(-1);
  return { text: answer?.text, error: answer?.error, requests: server.requests };
}

describe("llm-gateway with Azure OpenAI", () => {
  it("calls the deployment by the v1 API, chat completions or responses by the model", async () => {
    for (const [model, handler, path] of [
      ["gpt-4o", chatDone, "/openai/v1/chat/completions"],
      ["gpt-5", responsesDone, "/openai/v1/responses"],
    ] as const) {
      const config = { model, apiKeyEnv: "AZURE_KEY", settings: { deployment: "team-a" } };
      const { text, error, requests } = await play(handler, { config });
      expect({ text, error }).to.deep.equal({ text: "done", error: undefined });
      expect(requests[0]?.path).to.equal(path);
      expect(requests[0]?.body).to.include({ model: "team-a" });
      expect(requests[0]?.headers)
        .to.include({ "api-key": ENV.AZURE_KEY })
        .and.not.have.any.keys("authorization");
    }
  });

  it("calls a dated version by its own paths", async () => {
    for (const [model, handler, path] of [
      ["gpt-4o", chatDone, "/openai/deployments/gpt-4o/chat/completions?api-version=2024-10-21"],
      ["o3", responsesDone, "/openai/responses?api-version=2024-10-21"],
    ] as const) {
      const config = { model, apiKeyEnv: "AZURE_KEY", settings: { api_version: "2024-10-21" } };
      const { text, requests } = await play(handler, { config });
      expect(text).to.equal("done");
      expect(requests[0]?.path).to.equal(path);
    }
    const config = { apiKeyEnv: "AZURE_KEY", settings: { api_version: "preview" } };
    const { requests } = await play(chatDone, { config });
    expect(requests[0]?.path).to.equal("/openai/v1/chat/completions?api-version=preview");
  });

  it("reports blocked content, in the prompt and in the answer", async () => {
    const config = { apiKeyEnv: "AZURE_KEY" };
    const blocked = {
      message:
        "The response was filtered due to the prompt triggering Azure OpenAI's content management policy.",
      type: null,
      param: "prompt",
      code: "content_filter",
      status: 400,
      innererror: { code: "ResponsibleAIPolicyViolation" },
    };
    const prompt = await play((reply) => reply.fail(400, { error: blocked }), { config });
    expect(prompt.error).to.deep.include({ code: "content_blocked", retryable: false });
    expect(prompt.error?.message).to.contain("content management policy");
    const answer = await play(
      (reply) => {
        reply.data({ choices: [], prompt_filter_results: [{ prompt_index: 0, content_filter_results: {} }] });
        reply.data(completion({ content: "hi" }));
        reply.data(completion({}, "content_filter"));
        reply.raw("data: [DONE]\n\n");
        reply.end();
      },
      { config },
    );
    expect(answer.text).to.equal("hi");
    expect(answer.error).to.deep.include({ code: "content_blocked", retryable: false });
    const missing = {
      code: "DeploymentNotFound",
      message: "The API deployment for this resource does not exist.",
    };
    const unknown = await play((reply) => reply.fail(404, { error: missing }), { config });
    expect(unknown.error).to.deep.include({ code: "invalid_request", retryable: false });
  });

  it("signs in with an application of Entra ID, once for many calls", async () => {
    await using entra = await openTokenServer(token("token-1"));
    const config = { settings: { ...APPLICATION, authority_host: entra.url } };
    const { text, requests } = await play(chatDone, { config, calls: 3 });
    expect(text).to.equal("done");
    for (const { headers } of requests) {
      expect(headers).to.include({ authorization: "Bearer token-1" }).and.not.have.any.keys("api-key");
    }
    expect(entra.calls).to.have.length(1);
    expect(entra.calls[0]).to.include({ method: "POST", path: "/tenant-1/oauth2/v2.0/token" });
    expect(Object.fromEntries(entra.calls[0]?.form ?? [])).to.deep.equal({
      grant_type: "client_credentials",
      client_id: "client-1",
      client_secret: ENV.SECRET,
      scope: "https://cognitiveservices.azure.com/.default",
    });
  });

  it("renews a token before it expires, and uses the old one while the sign-in fails", async () => {
    await using entra = await openTokenServer(token("token-1", 200), [503, {}], token("token-2"));
    const config = { settings: { ...APPLICATION, authority_host: entra.url } };
    const { requests } = await play(chatDone, { config, calls: 4 });
    expect(requests.map(({ headers }) => headers.authorization)).to.deep.equal([
      "Bearer token-1",
      "Bearer token-1",
      "Bearer token-2",
      "Bearer token-2",
    ]);
    expect(entra.calls).to.have.length(3);
  });

  it("says why the sign-in failed, without the secret", async () => {
    const reason = `AADSTS7000215: Invalid client secret ${ENV.SECRET} provided.\r\nTrace ID: 1`;
    await using entra = await openTokenServer([401, { error: "invalid_client", error_description: reason }]);
    const config = { settings: { ...APPLICATION, authority_host: entra.url } };
    const refused = await play(chatDone, { config });
    expect(refused.error).to.deep.include({ code: "credentials", retryable: false });
    expect(refused.error?.message).to.contain("AADSTS7000215").and.not.to.contain("Trace ID");
    expect(refused.requests).to.have.length(0);
    await using busy = await openTokenServer([503, {}]);
    const later = await play(chatDone, {
      config: { settings: { ...APPLICATION, authority_host: busy.url } },
    });
    expect(later.error).to.deep.include({ code: "provider_error", retryable: true });
    await using strange = await openTokenServer([200, { access_token: 1 }]);
    const odd = await play(chatDone, {
      config: { settings: { ...APPLICATION, authority_host: strange.url } },
    });
    expect(odd.error).to.deep.include({ code: "provider_error", retryable: true });
    const closed = await openTokenServer();
    await closed[Symbol.asyncDispose]();
    const unreachable = { settings: { ...APPLICATION, authority_host: closed.url } };
    const away = await play(chatDone, { config: unreachable });
    expect(away.error).to.deep.include({ code: "provider_error", retryable: true });
    const unset = await play(chatDone, { config: unreachable, env: {} });
    expect(unset.error).to.deep.include({ code: "credentials", retryable: false });
  });

  it("signs in as the machine only if the entry says so", async () => {
    await using entra = await openTokenServer(token("token-m", "3600"));
    await using directory = await mkdtempDisposable(join(tmpdir(), "tarsy-azure-"));
    const file = join(directory.path, "token");
    await writeFile(file, "workload-token\n");
    const workload = {
      AZURE_FEDERATED_TOKEN_FILE: file,
      AZURE_TENANT_ID: "t",
      AZURE_CLIENT_ID: "c",
      AZURE_AUTHORITY_HOST: entra.url,
    };
    const service = { IDENTITY_ENDPOINT: `${entra.url}/msi/token`, IDENTITY_HEADER: "header-1" };
    const metadata = { AZURE_POD_IDENTITY_AUTHORITY_HOST: entra.url, AZURE_CLIENT_ID: "c" };
    for (const env of [workload, service, metadata]) {
      const { text, requests } = await play(chatDone, {
        config: { settings: { machine_credentials: true } },
        env,
      });
      expect(text).to.equal("done");
      expect(requests[0]?.headers.authorization).to.equal("Bearer token-m");
      const none = await play(chatDone, { env });
      expect(none.error).to.deep.include({ code: "credentials", retryable: false });
    }
    const [first, second, third] = entra.calls;
    expect(first?.path).to.equal("/t/oauth2/v2.0/token");
    expect(first?.form.get("client_assertion")).to.equal("workload-token");
    const resource = `resource=${encodeURIComponent("https://cognitiveservices.azure.com")}`;
    expect(second?.path).to.equal(`/msi/token?api-version=2019-08-01&${resource}`);
    expect(second?.headers["x-identity-header"]).to.equal("header-1");
    expect(third?.path).to.equal(
      `/metadata/identity/oauth2/token?api-version=2018-02-01&${resource}&client_id=c`,
    );
    expect(third?.headers["metadata"]).to.equal("true");
    expect(entra.calls).to.have.length(3);
  });
});
