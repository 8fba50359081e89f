import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { TEST_GATEWAY_TOKEN } from "../../../test/support/gateway-token.ts";
import { spawnService } from "../../../test/support/spawn-service.ts";
import { testPort } from "../../../test/support/test-port.ts";
import { untilReady } from "../../../test/support/until-ready.ts";
import { TestGateway } from "./test-gateway.ts";

/** The real llm-gateway as a process of its own, which can be killed and started again on its ports. */
export class GatewayProcess extends TestGateway {
  #configDir = "";
  #process: ChildProcess | undefined;

  static override async start(configDir: string): Promise<GatewayProcess> {
    const gateway = new GatewayProcess({ grpc: await testPort(), health: await testPort() });
    gateway.#configDir = configDir;
    await gateway.start();
    return gateway;
  }

  async start(): Promise<void> {
    const { grpc, health } = this.ports;
    const child = spawnService({
      name: "llm-gateway",
      env: {
        CONFIG_DIR: this.#configDir,
        LLM_GATEWAY_TOKEN: TEST_GATEWAY_TOKEN,
        LLM_GATEWAY_PORT: String(grpc),
        LLM_GATEWAY_HEALTH_PORT: String(health),
        LOG_LEVEL: "silent",
      },
      output: "ignore",
    });
    this.#process = child;
    await untilReady("llm-gateway", child, health);
  }

  /** Stops the process, whose connections stay open, until `thaw`. */
  freeze(): void {
    this.#process?.kill("SIGSTOP");
  }

  thaw(): void {
    this.#process?.kill("SIGCONT");
  }

  async kill(): Promise<void> {
    const child = this.#process;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, "exit");
    child.kill("SIGKILL");
    await gone;
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
  }
}
