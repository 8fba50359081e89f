import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { TEST_GATEWAY_TOKEN } from "../../../test/support/gateway-token.ts";
import { spawnService } from "../../../test/support/spawn-service.ts";
import { testPort } from "../../../test/support/test-port.ts";
import { untilReady } from "../../../test/support/until-ready.ts";

const HOST = "127.0.0.1";

/** The real llm-gateway as a process, which can be killed and started again on its port. */
export class GatewayProcess implements AsyncDisposable {
  readonly #configDir: string;
  readonly #ports: { grpc: number; health: number };
  #process: ChildProcess | undefined;

  private constructor(configDir: string, ports: { grpc: number; health: number }) {
    this.#configDir = configDir;
    this.#ports = ports;
  }

  static async start(configDir: string): Promise<GatewayProcess> {
    const gateway = new GatewayProcess(configDir, {
      grpc: await testPort(),
      health: await testPort(),
    });
    await gateway.start();
    return gateway;
  }

  get address(): string {
    return `${HOST}:${this.#ports.grpc}`;
  }

  async start(): Promise<void> {
    const { grpc, health } = this.#ports;
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

  /** Calls that ended since this process was started, failed ones included. */
  async calls(): Promise<number> {
    return this.#sum("tarsy_llm_calls_total");
  }

  /** Calls that are running. */
  async running(): Promise<number> {
    return this.#sum("tarsy_llm_calls_running");
  }

  /** All metrics as text. */
  async metrics(): Promise<string> {
    return (await fetch(`http://${HOST}:${this.#ports.health}/metrics`)).text();
  }

  async #sum(metric: string): Promise<number> {
    const text = await this.metrics();
    const values = text.split("\n").filter((line) => line.split(/[{ ]/u)[0] === metric);
    return values.reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);
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

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
  }
}
