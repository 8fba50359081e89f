import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { stringify } from "yaml";
import type { BackingServers } from "../../../test/support/backing-servers.ts";
import { testConfigDirectory } from "../../../test/support/config-directory.ts";
import { toolRunnerHere } from "../../../test/support/services-here.ts";

const tool = (result: object, rest: object = {}) => ({ read_only: true, results: [result], ...rest });

/** Stubs take its place. */
const NO_SERVER = { transport: { type: "stdio", command: "true" } };

/** The tools of server `k8s`. */
const K8S = {
  pods: tool({ text: "pod checkout-7d9f restarts" }),
  broken: tool({ error: "cannot reach the cluster" }),
  throws: tool({ exception: "connection refused" }),
  large: tool({ bytes: 600_000 }),
  largeError: tool({ error: "no such field\n".repeat(5_000) }),
  hang: tool({ hang: true }),
  hangWrite: tool({ hang: true }, { read_only: false }),
  slowWrite: tool({ delay: "3s", text: "written" }, { read_only: false }),
  restart: tool({ text: "restarted" }, { read_only: false }),
  remove: tool({ text: "removed" }, { read_only: false, approve: true }),
};

/** The tools of server `wide`: more than fit into a call. */
const WIDE = Object.fromEntries(
  Array.from({ length: 70 }, (_, n) => [
    `get_item_${n}`,
    tool({ text: `item ${n}` }, { description: `Reads the item number ${n}. It may be large.` }),
  ]),
);

/** The real tool-runner, which is reached over NATS. It runs in this process. */
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

  /** The arguments of the calls started so far, as the tools got them. */
  async arguments(): Promise<readonly string[]> {
    const log = await readFile(this.#callLog, "utf8").catch(() => "");
    return log.split("\n").filter((line) => line !== "");
  }

  static async start(servers: BackingServers): Promise<ToolRunnerFixture> {
    const resources = new AsyncDisposableStack();
    const { path } = resources.use(
      await testConfigDirectory({
        tarsy: { mcp_servers: { k8s: NO_SERVER, wide: NO_SERVER } },
      }),
    );
    await writeFile(
      join(path, "stub-tools.yaml"),
      stringify({ call_log: "calls.jsonl", servers: { k8s: K8S, wide: WIDE } }),
    );
    resources.use(await toolRunnerHere(path, servers));
    return new ToolRunnerFixture(resources, join(path, "calls.jsonl"));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#resources.disposeAsync();
  }
}
