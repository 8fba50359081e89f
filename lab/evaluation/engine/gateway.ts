import { spawn, type ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { join } from "node:path";
import { freePort } from "../../../launcher/free-port.ts";
import { projectPaths } from "../../../launcher/project-paths.ts";
import { waitUntilReady } from "../../../launcher/supervisor/wait-until-ready.ts";
import { PROJECT_ROOT } from "../../../scripts/tarsy/project-root.ts";
import type { Environment } from "#shared/service/environment.ts";

const HOST = "127.0.0.1";
const READY_WITHIN_MS = 120_000;
const STOP_WITHIN_MS = 5_000;
const LAST_OUTPUT = 2_000;

/** An llm-gateway of a configuration directory, as a process of its own, as in an installation. */
interface Gateway extends AsyncDisposable {
  readonly address: string;
  readonly token: string;
}

/** Starts the gateway and waits until it is ready. Throws if it ends before, with what it said, and the signal's reason. */
export async function startGateway(
  { path, env }: { readonly path: string; readonly env: Environment },
  signal: AbortSignal,
): Promise<Gateway> {
  const token = randomBytes(24).toString("hex");
  const [grpc, health] = [await freePort(HOST), await freePort(HOST)];
  const child = spawn(process.execPath, [join(PROJECT_ROOT, "services/llm-gateway/main.ts")], {
    cwd: PROJECT_ROOT,
    env: {
      NODE_COMPILE_CACHE: projectPaths(PROJECT_ROOT).compileCache,
      ...env,
      CONFIG_DIR: path,
      BIND_ADDRESS: HOST,
      LLM_GATEWAY_TOKEN: token,
      LLM_GATEWAY_PREVIOUS_TOKEN: "",
      LLM_GATEWAY_PORT: String(grpc),
      LLM_GATEWAY_HEALTH_PORT: String(health),
      LOG_LEVEL: "warn",
      LOG_FORMAT: "json",
    },
    // The service exits when the channel closes, so it does not outlive this process, however that ends.
    stdio: ["ignore", "pipe", "pipe", "ipc"],
    // Ctrl-C is for this process, which stops the gateway itself.
    detached: true,
  });
  const output = lastOutputOf(child);
  const gateway = { address: `${HOST}:${grpc}`, token, [Symbol.asyncDispose]: () => stop(child) };
  try {
    const ended = new AbortController();
    child.once("exit", () => ended.abort(new Error(`the llm-gateway of ${path} has ended: ${output()}`)));
    child.once("error", (error) => ended.abort(error));
    const limit = AbortSignal.timeout(READY_WITHIN_MS);
    await waitUntilReady(`http://${HOST}:${health}/readyz`, AbortSignal.any([signal, ended.signal, limit]));
    return gateway;
  } catch (error) {
    await stop(child);
    throw error;
  }
}

function lastOutputOf(child: ChildProcess): () => string {
  let text = "";
  const keep = (chunk: Buffer) => {
    text = `${text}${chunk.toString()}`.slice(-LAST_OUTPUT);
  };
  child.stdout?.on("data", keep);
  child.stderr?.on("data", keep);
  return () => text.trim();
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const gone = once(child, "exit");
  child.kill("SIGTERM");
  const force = setTimeout(() => child.kill("SIGKILL"), STOP_WITHIN_MS);
  await gone;
  clearTimeout(force);
}
