import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { stringify } from "yaml";
import { freePort } from "../../../launcher/free-port.ts";
import type { BackingServers } from "../../../test/support/backing-servers.ts";
import { configDirectory } from "../../../test/support/config-directory.ts";
import { until } from "../../../test/support/until.ts";

const HOST = "127.0.0.1";
const MAIN = join(import.meta.dirname, "../../tool-runner/main.ts");

const tool = (result: object, rest: object = {}) => ({ read_only: true, results: [result], ...rest });

/** The tools of server `k8s`. */
const K8S = {
  pods: tool({ text: "pod checkout-7d9f restarts" }),
  broken: tool({ error: "cannot reach the cluster" }),
  throws: tool({ exception: "connection refused" }),
  large: tool({ bytes: 600_000 }),
  hang: tool({ hang: true }),
  restart: tool({ text: "restarted" }, { read_only: false }),
};

/** The real tool-runner as a process. */
export class ToolRunnerFixture implements AsyncDisposable {
  readonly #resources: AsyncDisposableStack;
  readonly #callLog: string;

  private constructor(resources: AsyncDisposableStack, callLog: string) {
    this.#resources = resources;
    this.#callLog = callLog;
  }

  /** Calls started so far, by the tools' call log, which is independent of the database. */
  async calls(): Promise<number> {
    const log = await readFile(this.#callLog, "utf8").catch(() => "");
    return log.split("\n").length - 1;
  }

  static async start(servers: BackingServers): Promise<ToolRunnerFixture> {
    const resources = new AsyncDisposableStack();
    const { path } = resources.use(
      await configDirectory({
        tarsy: { mcp_servers: { k8s: { transport: { type: "stdio", command: "true" } } } },
      }),
    );
    await writeFile(
      join(path, "stub-tools.yaml"),
      stringify({ call_log: "calls.jsonl", servers: { k8s: K8S } }),
    );
    const port = await freePort(HOST);
    const child = spawn(process.execPath, [MAIN], {
      env: {
        CONFIG_DIR: path,
        DATABASE_URL: servers.postgres.url,
        NATS_URL: servers.nats.url,
        TOOL_RUNNER_HEALTH_PORT: String(port),
        LOG_LEVEL: "warn",
      },
      stdio: ["ignore", "inherit", "inherit"],
    });
    resources.adopt(child, end);
    await until("the tool-runner is ready", async () => (await fetch(`http://${HOST}:${port}/readyz`)).ok);
    return new ToolRunnerFixture(resources, join(path, "calls.jsonl"));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#resources.disposeAsync();
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, "exit");
  child.kill("SIGKILL");
  await gone;
}
