import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { credentials } from "@grpc/grpc-js";
import { expect } from "chai";
import { LLMServiceClient } from "#shared/generated/llm/v1/llm.ts";
import { openSseServer } from "../../../test/support/sse-server.ts";
import { KEY, KEY_ENV, collect } from "./gateway.ts";
import { chatRequest, completion } from "./wire.ts";

/** What the SDKs would take from the environment of their process. */
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
  LANGSMITH_GATEWAY: "http://127.0.0.1:9",
  LANGSMITH_API_KEY: "stray-key",
};

/** The gateway as its own process, with a client and everything it writes. */
async function openProcess(env: Record<string, string>) {
  const child = spawn(process.execPath, ["services/llm-gateway/main.ts"], {
    env: {
      LLM_GATEWAY_PORT: "0",
      LLM_GATEWAY_HEALTH_PORT: "0",
      CONFIG_DIR: "deploy/config/demo",
      LOG_FORMAT: "json",
      LOG_LEVEL: "trace",
      LLM_RETRY_DELAY_MS: "1",
      ...env,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  child.stderr.on("data", (bytes) => (output += String(bytes)));
  const port = await new Promise<number>((resolve) => {
    createInterface(child.stdout).on("line", (line) => {
      output += `${line}\n`;
      const listening = /"grpc_port":(?<port>\d+)/u.exec(line)?.groups?.["port"];
      if (listening !== undefined) resolve(Number(listening));
    });
  });
  const client = new LLMServiceClient(`127.0.0.1:${port}`, credentials.createInsecure());
  return {
    client,
    /** Stops it and gives its exit code and what it wrote. */
    stop: async () => {
      client.close();
      child.kill("SIGTERM");
      await once(child, "close");
      return { code: child.exitCode, output };
    },
    [Symbol.dispose]: () => void child.kill("SIGKILL"),
  };
}

describe("llm-gateway process with the langchain backend", () => {
  it("takes neither keys nor addresses from its environment", async () => {
    using gateway = await openProcess(MISLEADING);
    for (const [provider, model] of [
      ["openai", "gpt-4o"],
      ["xai", "grok-4"],
      ["anthropic", "claude-sonnet-4-5"],
      ["vertexai", "claude-sonnet-4-5"],
      ["vertexai", "gemini-2.5-pro"],
    ] as const) {
      await using server = await openSseServer((reply) => reply.fail(400, { error: { message: "seen" } }));
      const config = { model, apiKeyEnv: "", project: "p1", location: "eu" };
      const { error } = await collect(gateway.client.generate(chatRequest(provider, server.url, {}, config)));
      expect(error?.message).to.contain("seen");
      const { headers, path } = await server.request(0);
      expect(JSON.stringify({ headers, path })).not.to.contain("stray");
    }
    expect((await gateway.stop()).code).to.equal(0);
  });

  it("survives cancels and cut connections, and writes no key", async () => {
    using gateway = await openProcess({ [KEY_ENV]: KEY });
    for (const provider of ["openai", "anthropic"]) {
      await using refusing = await openSseServer((reply) => reply.fail(401, `no key ${KEY}`));
      await using cutting = await openSseServer((reply) => reply.reset());
      await using garbage = await openSseServer((reply) => {
        reply.raw(`event: message_start\ndata: {"broken ${KEY}\n\n`);
        reply.end();
      });
      for (const { url } of [refusing, cutting, garbage]) {
        const { error } = await collect(gateway.client.generate(chatRequest(provider, url)));
        expect(error?.message).not.to.contain(KEY);
      }
      await using stalling = await openSseServer((reply) => reply.data(completion({ content: "well" })));
      const call = gateway.client.generate(chatRequest(provider, stalling.url));
      const failed = once(call, "error");
      const request = await stalling.request(0);
      call.cancel();
      await failed;
      await request.closed;
    }
    const { code, output } = await gateway.stop();
    expect(code).to.equal(0);
    expect(output).to.contain('"code":"credentials"').and.not.to.contain(KEY);
  });
});
