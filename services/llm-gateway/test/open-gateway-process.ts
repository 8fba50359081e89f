import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { credentials } from "@grpc/grpc-js";
import { LLMServiceClient } from "#shared/generated/llm/v1/llm.ts";

/** Starts the gateway as a process with `env` and nothing else of this environment; collects its output. */
export async function openGatewayProcess(env: Record<string, string> = {}) {
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
  const ports = await new Promise<Record<string, unknown>>((resolve, reject) => {
    child.once("exit", (code) => reject(new Error(`the gateway exited with ${String(code)}: ${output}`)));
    createInterface(child.stdout).on("line", (line) => {
      output += `${line}\n`;
      if (!line.includes('"grpc_port"')) return;
      const fields: unknown = JSON.parse(line);
      if (typeof fields === "object" && fields !== null) resolve({ ...fields });
    });
  });
  const address = `127.0.0.1:${String(ports["grpc_port"])}`;
  const client = new LLMServiceClient(address, credentials.createInsecure());
  return {
    client,
    address,
    healthUrl: `http://127.0.0.1:${String(ports["health_port"])}`,
    /** Its stdout and stderr so far. */
    output: () => output,
    /** Stops it with SIGTERM; returns its exit code and output. */
    stop: async () => {
      client.close();
      child.kill("SIGTERM");
      await once(child, "close");
      return { code: child.exitCode, output };
    },
    [Symbol.dispose]: () => {
      client.close();
      child.kill("SIGKILL");
    },
  };
}
