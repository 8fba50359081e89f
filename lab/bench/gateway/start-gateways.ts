import { fork, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Metadata, credentials } from "@grpc/grpc-js";
import { stringify } from "yaml";
import { TOKEN_METADATA } from "#shared/service/gateway-token.ts";
import { GenerateRequest, LLMServiceClient } from "#shared/generated/llm/v1/llm.ts";
import { TEST_GATEWAY_TOKEN } from "../../../test/support/gateway-token.ts";

const ROOT = join(import.meta.dirname, "../../..");
const REPLICAS = 2;
const PROVIDER = "bench";
const BENCH_KEY_ENV = "BENCH_GEMINI_KEY";
export const BENCH_KEY = "bench-key";

/** Two gateways and a fake provider, each in its own process, and clients for the gateways. */
export interface BenchGateways extends AsyncDisposable {
  /** The provider's base URL. */
  readonly providerUrl: string;
  /** The process ids of the gateways. */
  readonly pids: readonly number[];
  /** Calls one replica. */
  readonly one: LLMServiceClient;
  /** Calls both round robin. */
  readonly both: LLMServiceClient;
  /** When the provider saw the socket of the `hold` answer with this id close, in milliseconds since the epoch. */
  readonly closedAt: (id: number) => Promise<number>;
  /** A request for this model. */
  readonly request: (model: string) => GenerateRequest;
}

/** Starts all processes; throws if one ends before it listens. `signal` aborts the wait. */
export async function startGateways(signal: AbortSignal): Promise<BenchGateways> {
  await using stack = new AsyncDisposableStack();
  const provider = fork(join(import.meta.dirname, "provider-process.ts"));
  stack.defer(() => stop(provider));
  const closes = new Map<number, PromiseWithResolvers<number>>();
  const close = (id: number): PromiseWithResolvers<number> => {
    const known = closes.get(id) ?? Promise.withResolvers<number>();
    closes.set(id, known);
    return known;
  };
  const listening = Promise.withResolvers<number>();
  provider.on("message", (message: unknown) => {
    if (typeof message !== "object" || message === null) return;
    if ("port" in message) listening.resolve(Number(message.port));
    if ("id" in message && "at" in message) close(Number(message.id)).resolve(Number(message.at));
  });
  const providerUrl = `http://127.0.0.1:${await orEnd(provider, listening.promise, signal)}`;
  const configDir = await mkdtemp(join(tmpdir(), "tarsy-bench-"));
  stack.defer(() => rm(configDir, { recursive: true, force: true }));
  await writeFile(
    join(configDir, "llm-providers.yaml"),
    stringify({ llm_providers: providers(providerUrl) }),
  );
  const gateways: { pid: number; port: number }[] = [];
  for (let count = 0; count < REPLICAS; count += 1) {
    const gateway = spawn(process.execPath, [join(ROOT, "services/llm-gateway/main.ts")], {
      cwd: ROOT,
      env: {
        ...process.env,
        [BENCH_KEY_ENV]: BENCH_KEY,
        CONFIG_DIR: configDir,
        LLM_GATEWAY_TOKEN: TEST_GATEWAY_TOKEN,
        LLM_GATEWAY_PORT: "0",
        LLM_GATEWAY_HEALTH_PORT: "0",
        LOG_FORMAT: "json",
        LOG_LEVEL: "info",
      },
      stdio: ["ignore", "pipe", "inherit"],
    });
    stack.defer(() => stop(gateway));
    gateways.push({ pid: gateway.pid ?? 0, port: await orEnd(gateway, grpcPort(gateway), signal) });
  }
  const [first] = gateways;
  const one = stack.adopt(openClient([first?.port ?? 0]), (client) => client.close());
  const both = stack.adopt(openClient(gateways.map(({ port }) => port)), (client) => client.close());
  const processes = stack.move();
  return {
    providerUrl,
    pids: gateways.map(({ pid }) => pid),
    one,
    both,
    closedAt: (id) => close(id).promise,
    request: (model) =>
      GenerateRequest.fromJSON({
        messages: [{ role: "user", content: "What is wrong with pod web-1?" }],
        llmConfig: { providerName: PROVIDER, providerType: "google", backend: "google-native", model },
      }),
    [Symbol.asyncDispose]: () => processes.disposeAsync(),
  };
}

/** Metadata for a call that waits for its connection. */
export function waitForReady(): Metadata {
  const metadata = new Metadata({ waitForReady: true });
  metadata.set(TOKEN_METADATA, `Bearer ${TEST_GATEWAY_TOKEN}`);
  return metadata;
}

function providers(baseUrl: string): object {
  const limits = { model: "bench", max_tool_result_tokens: 8_000 };
  return { [PROVIDER]: { type: "google", api_key_env: BENCH_KEY_ENV, base_url: baseUrl, ...limits } };
}

function openClient(ports: readonly number[]): LLMServiceClient {
  const target = `ipv4:${ports.map((port) => `127.0.0.1:${port}`).join(",")}`;
  return new LLMServiceClient(target, credentials.createInsecure(), {
    "grpc.service_config": JSON.stringify({ loadBalancingConfig: [{ round_robin: {} }] }),
  });
}

async function grpcPort({ stdout }: ChildProcess): Promise<number> {
  if (stdout === null) throw new Error("the gateway has no output");
  for await (const line of createInterface(stdout)) {
    const fields: unknown = JSON.parse(line);
    if (typeof fields === "object" && fields !== null && "grpc_port" in fields) {
      stdout.resume();
      return Number(fields.grpc_port);
    }
  }
  throw new Error("the gateway ended before it listened");
}

async function orEnd<T>(child: ChildProcess, ready: Promise<T>, signal: AbortSignal): Promise<T> {
  const ended = once(child, "exit", { signal }).then(() => {
    throw new Error("a process of the benchmark ended before it was ready");
  });
  return Promise.race([ready, ended]);
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, "exit");
  child.kill("SIGTERM");
  await gone;
}
