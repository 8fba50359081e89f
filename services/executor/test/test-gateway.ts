import { gatewayHere } from "../../../test/support/services-here.ts";

const HOST = "127.0.0.1";

/** The real llm-gateway, which executors call over gRPC. It runs in this process. */
export class TestGateway implements AsyncDisposable {
  protected readonly ports: { readonly grpc: number; readonly health: number };
  readonly #resources: AsyncDisposable | undefined;

  protected constructor(ports: TestGateway["ports"], resources?: AsyncDisposable) {
    this.ports = ports;
    this.#resources = resources;
  }

  static async start(configDir: string): Promise<TestGateway> {
    const gateway = await gatewayHere(configDir);
    return new TestGateway({ grpc: gateway.port, health: gateway.healthPort }, gateway);
  }

  get address(): string {
    return `${HOST}:${this.ports.grpc}`;
  }

  /** Calls that ended since the gateway was started, failed ones included. */
  async calls(): Promise<number> {
    return this.#sum("tarsy_llm_calls_total");
  }

  /** Calls that are running. */
  async running(): Promise<number> {
    return this.#sum("tarsy_llm_calls_running");
  }

  /** All metrics as text. */
  async metrics(): Promise<string> {
    return (await fetch(`http://${HOST}:${this.ports.health}/metrics`)).text();
  }

  async #sum(metric: string): Promise<number> {
    const text = await this.metrics();
    const values = text.split("\n").filter((line) => line.split(/[{ ]/u)[0] === metric);
    return values.reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#resources?.[Symbol.asyncDispose]();
  }
}
