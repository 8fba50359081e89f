import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Test } from "mocha";
import { BackingServers } from "./backing-servers.ts";
import { testConfigDirectory, type ConfigFiles } from "./config-directory.ts";
import { keepCassettes } from "./keep-cassettes.ts";
import { TarsyClient, type SessionWatch } from "./tarsy-client.ts";
import { TarsySystem, type SystemOptions } from "./tarsy-system.ts";

interface PipelineOptions extends Pick<SystemOptions, "executors" | "env"> {
  readonly config?: ConfigFiles;
  /** Further files of the configuration directory, by name. */
  readonly files?: Readonly<Record<string, string>>;
  /** For tests that stop or kill Postgres or NATS. */
  readonly ownServers?: boolean;
}

const PRINTED_CHARACTERS = 6_000;

/** What an end-to-end test needs: the five services as processes, their servers and configuration, and a client. */
export class PipelineFixture implements AsyncDisposable {
  readonly #resources: AsyncDisposableStack;
  readonly servers: BackingServers;
  readonly configDir: string;
  readonly system: TarsySystem;
  readonly client: TarsyClient;

  private constructor(parts: {
    resources: AsyncDisposableStack;
    servers: BackingServers;
    configDir: string;
    system: TarsySystem;
  }) {
    this.#resources = parts.resources;
    this.servers = parts.servers;
    this.configDir = parts.configDir;
    this.system = parts.system;
    this.client = new TarsyClient(parts.system);
  }

  /** Resolves once every service is ready. */
  static async start({
    config,
    files = {},
    ownServers,
    env,
    executors,
  }: PipelineOptions = {}): Promise<PipelineFixture> {
    await using resources = new AsyncDisposableStack();
    const servers = resources.use(await BackingServers.choose({ ownServers }));
    const { path: configDir } = resources.use(await testConfigDirectory(config));
    for (const [name, text] of Object.entries(files)) await writeFile(join(configDir, name), text);
    const system = resources.use(
      await TarsySystem.start({
        servers,
        configDir,
        ...(executors === undefined ? {} : { executors }),
        env: { EXECUTOR_VERIFY_STATE: "true", ...env },
      }),
    );
    return new PipelineFixture({ resources: resources.move(), servers, configDir, system });
  }

  /**
   * Submits an alert and watches its session. No executor runs until the subscription is confirmed, so the watch receives
   * every chunk of text: a short session may otherwise have ended before.
   */
  async submitWatched(data: string, fields: object = {}): Promise<{ id: string; watch: SessionWatch }> {
    const executors = this.system.all("executor").map(({ process: child }) => child);
    for (const executor of executors) executor.kill("SIGSTOP");
    try {
      const id = await this.client.submit(data, fields);
      return { id, watch: await this.client.watch(id, { after_seq: 0 }) };
    } finally {
      for (const executor of executors) executor.kill("SIGCONT");
    }
  }

  /** Prints the end of the services' output if the test failed. */
  showOutputOf(test: Test | undefined): void {
    if (test?.state === "failed") process.stderr.write(this.system.output.slice(-PRINTED_CHARACTERS));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await keepCassettes(this.client);
    await this.#resources.disposeAsync();
  }
}
