import { mkdtempDisposable, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { geminiChunk } from "../../../test/support/gemini-server.ts";
import { openSseServer, type SseHandler } from "../../../test/support/sse-server.ts";
import { message, openGateway } from "./open-gateway.ts";
import { SERVICE_ACCOUNT } from "./service-account.ts";
import {
  PODS_TOOL,
  callsTool,
  chatRequest,
  contentsOf,
  messageStart,
  messageStop,
  says,
  stateOf,
  thinks,
} from "./wire.ts";

const CLAUDE = "claude-sonnet-4-5@20250929";

const geminiDone: SseHandler = (reply) => {
  reply.data(
    geminiChunk([{ text: "done" }], {
      finishReason: "STOP",
      usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 2, totalTokenCount: 5 },
    }),
  );
  reply.end();
};
const claudeDone: SseHandler = (reply) => {
  messageStart(reply);
  says(reply, 0, "done");
  messageStop(reply, "end_turn");
};

async function play(
  handler: SseHandler,
  {
    model = "gemini-2.5-pro",
    credentials = SERVICE_ACCOUNT,
    request = {},
    config = {},
  }: { model?: string; credentials?: string; request?: object; config?: object } = {},
) {
  await using server = await openSseServer(handler);
  await using gateway = await openGateway({ env: { VERTEX_CREDENTIALS: credentials } });
  const settings = {
    model,
    apiKeyEnv: "",
    credentialsEnv: "VERTEX_CREDENTIALS",
    project: "p1",
    location: "us-east5",
    ...config,
  };
  const answer = await gateway.ask(chatRequest("vertexai", server.url, request, settings));
  return { ...answer, request: server.requests[0], requests: server.requests.length };
}

describe("llm-gateway with Vertex AI", () => {
  it("asks Gemini in the project and location, signed by the service account", async () => {
    const { text, error, request } = await play(geminiDone);
    expect({ text, error }).to.deep.equal({ text: "done", error: undefined });
    expect(request?.path).to.equal(
      "/v1beta1/projects/p1/locations/us-east5/publishers/google/models/gemini-2.5-pro:streamGenerateContent?alt=sse",
    );
    expect(request?.headers.authorization).to.match(/^Bearer ey[\w-]+\.[\w-]+\.[\w-]+$/u);
    expect(request?.headers).not.to.have.any.keys("x-goog-api-key");
  });

  it("asks Claude in the project and location, signed by the service account", async () => {
    const { text, error, request } = await play(claudeDone, { model: CLAUDE });
    expect({ text, error }).to.deep.equal({ text: "done", error: undefined });
    expect(request?.path).to.equal(
      `/v1/projects/p1/locations/us-east5/publishers/anthropic/models/${CLAUDE}:streamRawPredict`,
    );
    expect(request?.headers.authorization).to.match(/^Bearer ey/u);
    expect(request?.headers).not.to.have.any.keys("x-api-key", "anthropic-beta");
    expect(request?.body).to.deep.include({
      anthropic_version: "vertex-2023-10-16",
      thinking: { type: "enabled", budget_tokens: 16_000 },
    });
    expect(request?.body).not.to.have.any.keys("model");
  });

  it("streams Claude's thinking, calls and state, and sends them back", async () => {
    const { chunks, thinking } = await play(
      (reply) => {
        messageStart(reply);
        thinks(reply, 0, "hm", "sig-1");
        callsTool(reply, 1, "toolu_1", "kubernetes__pods_list", "{}");
        messageStop(reply, "tool_use");
      },
      { model: CLAUDE, request: { tools: [PODS_TOOL] } },
    );
    expect(thinking).to.equal("hm");
    expect(contentsOf(chunks, "toolCall")).to.have.length(1);
    const toolCalls = [{ id: "toolu_1", name: "kubernetes.pods_list", arguments: "{}" }];
    const messages = [
      message("user", "go"),
      message("assistant", "", { toolCalls, providerState: stateOf(chunks) }),
      message("tool", "none", { toolCallId: "toolu_1", toolName: "kubernetes.pods_list" }),
    ];
    const { request } = await play(claudeDone, { model: CLAUDE, request: { messages, tools: [PODS_TOOL] } });
    expect(JSON.stringify(request?.body)).to.contain('"signature":"sig-1"');
  });

  it("reads the credentials from a file", async () => {
    await using directory = await mkdtempDisposable(join(tmpdir(), "tarsy-vertex-"));
    const file = join(directory.path, "account.json");
    await writeFile(file, SERVICE_ACCOUNT);
    for (const model of ["gemini-2.5-pro", CLAUDE]) {
      const handler = model === CLAUDE ? claudeDone : geminiDone;
      expect(await play(handler, { model, credentials: file })).to.include({ text: "done" });
    }
  });

  for (const [what, credentials] of [
    ["are not set", ""],
    ["name no file", "/nonexistent/account.json"],
    ["are no JSON", "{nonsense"],
    ["hold no key", '{"type":"service_account","client_email":"a@b"}'],
    ["hold a broken key", SERVICE_ACCOUNT.replace(/KEY-----[^-]+/u, String.raw`KEY-----\nsecret-part\n`)],
    ["are of an unknown type", '{"type":"house_key"}'],
  ] as const) {
    it(`names the variable whose credentials ${what}, and makes no request`, async () => {
      for (const model of ["gemini-2.5-pro", CLAUDE]) {
        const { error, requests } = await play(geminiDone, { model, credentials });
        expect(error).to.deep.include({ code: "credentials", retryable: false });
        expect(error?.message).to.contain("VERTEX_CREDENTIALS").and.not.to.contain("secret-part");
        expect(requests).to.equal(0);
      }
    });
  }

  it("requires a project and a valid location", async () => {
    for (const [config, words] of [
      [{ project: "" }, "project_env"],
      [{ project: "a/../b" }, "project"],
      [{ location: "evil.example.com/" }, "location"],
    ] as const) {
      for (const model of ["gemini-2.5-pro", CLAUDE]) {
        const { error, requests } = await play(geminiDone, { model, config });
        expect(error).to.deep.include({ code: "invalid_request", retryable: false });
        expect(error?.message).to.contain(words);
        expect(requests).to.equal(0);
      }
    }
  });
});
