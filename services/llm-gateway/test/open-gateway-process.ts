import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { stringify } from "yaml";
import type { GenerateRequest } from "#shared/generated/llm/v1/llm.ts";
import { TEST_GATEWAY_TOKEN } from "../../../test/support/gateway-token.ts";
import { projectPaths } from "../../../launcher/project-paths.ts";
import { CHECKOUT, programEntry } from "../../../test/support/spawn-service.ts";
import { TEST_PROVIDERS, openClient } from "./open-gateway.ts";

/**
 * Starts the gateway as a process with `env` and nothing else of this environment, which has the providers of these requests
 * configured; collects its output.
 */
export async function openGatewayProcess(
  requests: readonly GenerateRequest[],
  env: Record<string, string> = {},
) {
  const configDir = mkdtempSync(join(tmpdir(), "tarsy-gateway-"));
  const values: Record<string, string> = {};
  const entries: Record<string, object> = {};
  for (const [index, { llmConfig }] of requests.entries()) {
    const name = llmConfig?.providerName ?? "";
    const { project = "", location = "", ...entry } = TEST_PROVIDERS.get(name) ?? {};
    const variables = { project_env: `TEST_PROJECT_${index}`, location_env: `TEST_LOCATION_${index}` };
    values[variables.project_env] = project;
    values[variables.location_env] = location;
    entries[name] = { ...entry, ...(project === "" ? {} : variables) };
  }
  const providers = { llm_providers: entries };
  writeFileSync(join(configDir, "llm-providers.yaml"), stringify(providers));
  const child = spawn(process.execPath, [programEntry("services/llm-gateway")], {
    env: {
      NODE_COMPILE_CACHE: projectPaths(CHECKOUT).compileCache,
      LLM_GATEWAY_PORT: "0",
      LLM_GATEWAY_HEALTH_PORT: "0",
      CONFIG_DIR: configDir,
      LLM_GATEWAY_TOKEN: TEST_GATEWAY_TOKEN,
      LOG_FORMAT: "json",
      LOG_LEVEL: "trace",
      LLM_RETRY_DELAY_MS: "1",
      ...values,
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
  const client = openClient(address);
  return {
    client,
    address,
    pid: child.pid ?? 0,
    healthUrl: `http://127.0.0.1:${String(ports["health_port"])}`,
    /** Its stdout and stderr so far. */
    output: () => output,
    /** Stops it with SIGTERM; returns its exit code and output. */
    stop: async () => {
      client.close();
      child.kill("SIGTERM");
      await once(child, "close");
      rmSync(configDir, { recursive: true, force: true });
      return { code: child.exitCode, output };
    },
    [Symbol.dispose]: () => {
      client.close();
      child.kill("SIGKILL");
      rmSync(configDir, { recursive: true, force: true });
    },
  };
}
