import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { credentials } from "@grpc/grpc-js";
import { expect } from "chai";
import { LLMServiceClient } from "#shared/generated/llm/v1/llm.ts";
import { collect, scriptedRequest } from "./gateway.ts";

describe("llm-gateway process", () => {
  it("serves calls, health and metrics, and stops in good order", async () => {
    const child = spawn(process.execPath, ["services/llm-gateway/main.ts"], {
      env: {
        LLM_GATEWAY_PORT: "0",
        LLM_GATEWAY_HEALTH_PORT: "0",
        CONFIG_DIR: "deploy/config/demo",
        LOG_FORMAT: "json",
      },
      stdio: ["ignore", "pipe", "inherit"],
    });
    try {
      const ports = await new Promise<Record<string, unknown>>((resolve) => {
        createInterface(child.stdout).on("line", (line) => {
          const fields: unknown = JSON.parse(line);
          if (typeof fields === "object" && fields !== null && "grpc_port" in fields) resolve({ ...fields });
        });
      });
      const address = `127.0.0.1:${String(ports["grpc_port"])}`;
      const client = new LLMServiceClient(address, credentials.createInsecure());
      const answer = await collect(client.generate(scriptedRequest("../outside.yaml")));
      expect(answer.error?.code).to.equal("invalid_request");
      client.close();
      const health = `http://127.0.0.1:${String(ports["health_port"])}`;
      expect((await fetch(`${health}/readyz`)).status).to.equal(200);
      expect(await (await fetch(`${health}/metrics`)).text()).to.contain('outcome="invalid_request"} 1');
      child.kill("SIGTERM");
      expect(await once(child, "exit")).to.deep.equal([0, null]);
    } finally {
      child.kill("SIGKILL");
    }
  });
});
