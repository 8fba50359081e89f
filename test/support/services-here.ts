import { pino } from "pino";
import { Registry } from "prom-client";
import { loadGatewayConfig } from "../../services/llm-gateway/config.ts";
import { runGateway } from "../../services/llm-gateway/run-gateway.ts";
import { loadToolRunnerConfig } from "../../services/tool-runner/config.ts";
import { runToolRunner } from "../../services/tool-runner/run-tool-runner.ts";
import type { BackingServers } from "./backing-servers.ts";
import { TEST_GATEWAY_TOKEN } from "./gateway-token.ts";

/**
 * Starts the llm-gateway within this process, on free ports, for tests that neither kill nor freeze it: a process of its own would
 * take more CPU time to start than most of them. Calls that run when it is disposed are cut off.
 */
export async function gatewayHere(configDir: string) {
  const config = await loadGatewayConfig({
    CONFIG_DIR: configDir,
    LLM_GATEWAY_TOKEN: TEST_GATEWAY_TOKEN,
    LLM_GATEWAY_PORT: "0",
    LLM_GATEWAY_HEALTH_PORT: "0",
    LLM_STOP_GRACE_MS: "0",
  });
  const resources = new AsyncDisposableStack();
  const log = pino({ level: "silent" });
  const { port, healthPort } = await runGateway({ config, log, resources }, new Registry());
  return { port, healthPort, [Symbol.asyncDispose]: () => resources.disposeAsync() };
}

/** Starts a tool-runner within this process, for the same tests. Calls that run when it is disposed are cut off. */
export async function toolRunnerHere(configDir: string, servers: BackingServers): Promise<AsyncDisposable> {
  const config = await loadToolRunnerConfig({
    CONFIG_DIR: configDir,
    DATABASE_URL: servers.postgres.serviceUrls["tool-runner"],
    ...servers.natsEnvironment("tool-runner"),
    TOOL_RUNNER_HEALTH_PORT: "0",
    TOOL_STOP_GRACE_MS: "0",
  });
  const resources = new AsyncDisposableStack();
  const log = pino({ level: "silent" });
  const { signal } = new AbortController();
  await runToolRunner({ config, log, signal, resources }, new Registry());
  return resources;
}
