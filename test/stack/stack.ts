import { randomBytes } from "node:crypto";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { execFileSync } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../../launcher/free-port.ts";
import { until } from "../support/until.ts";
import type { ContainerEngine } from "./container-engine.ts";

const CHECKOUT = join(import.meta.dirname, "../..");
const HEALTHY_MS = 180_000;
/** Names a stack whose images `npm run test:stack -- images` builds before its tests. */
const { TEST_STACK_NAME } = process.env;
/** The images that a stack builds. */
const IMAGES = ["tarsy", "tarsy-nats"];

/** Services that end before the others start. */
const ONCE = ["database-init", "migrate"];

interface StackOptions {
  readonly engine: ContainerEngine;
  /** The configuration directory. It is made readable for the users of the containers. */
  readonly configDir: string;
  /** Variables of deploy/.env.example, such as { EXECUTORS: "2" }. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** The compose stack with its own project name, images, networks and volumes. */
export class Stack implements AsyncDisposable {
  readonly #engine: ContainerEngine;
  readonly #directory: string;
  /** Compose files in the directory `deploy` of the checkout. */
  #files: readonly string[] = ["podman-compose.yml"];
  readonly name: string;
  #settings: Readonly<Record<string, string>>;
  /** The published port. */
  readonly port: number;

  private constructor(
    { engine }: StackOptions,
    parts: {
      directory: string;
      settings: Record<string, string>;
      port: number;
      name: string;
    },
  ) {
    this.#engine = engine;
    this.#directory = parts.directory;
    this.#settings = parts.settings;
    this.name = parts.name;
    this.port = parts.port;
  }

  /** Starts every container and resolves once all are healthy. Builds the images unless that was done before. */
  static async start(options: StackOptions): Promise<Stack> {
    await chmod(options.configDir, 0o755);
    const stack = await Stack.#prepare(options);
    try {
      if (!(await stack.#areBuilt())) await stack.compose("build");
      await stack.#up();
      return stack;
    } catch (error) {
      await stack[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Builds the images of the stack that starts later with the name of TEST_STACK_NAME, if that is set. */
  static async buildImages(engine: ContainerEngine): Promise<void> {
    if (TEST_STACK_NAME === undefined) return;
    const stack = await Stack.#prepare({ engine, configDir: join(CHECKOUT, "deploy/config") });
    await stack.compose("build");
    await rm(stack.#directory, { recursive: true });
  }

  static async #prepare(options: StackOptions): Promise<Stack> {
    const directory = await mkdtemp(join(tmpdir(), "tarsy-stack-"));
    const name = TEST_STACK_NAME ?? `tarsy-${randomBytes(4).toString("hex")}`;
    const port = await freePort("127.0.0.1");
    const [prometheus, alertmanager] = [await freePort("127.0.0.1"), await freePort("127.0.0.1")];
    const monitoring = { PROMETHEUS_PORT: String(prometheus), ALERTMANAGER_PORT: String(alertmanager) };
    const own = {
      ...monitoring,
      TARSY_PORT: String(port),
      TARSY_VERSION: name,
      TARSY_CONFIG: options.configDir,
    };
    const settings = { ...own, ...options.settings };
    const stack = new Stack(options, { directory, settings, port, name });
    execFileSync(join(CHECKOUT, "deploy/make-env.sh"), [stack.#secretsFile], { stdio: "ignore" });
    await stack.#writeSettings();
    return stack;
  }

  get urls(): { api: string; ws: string } {
    return { api: `http://127.0.0.1:${this.port}`, ws: `ws://127.0.0.1:${this.port}/ws` };
  }

  /** Runs a command of podman-compose on this stack. */
  async compose(...args: string[]): Promise<string> {
    const files = this.#files.flatMap((file) => ["-f", join(CHECKOUT, "deploy", file)]);
    return this.#engine.compose("-p", this.name, "--env-file", this.#envFile, ...files, ...args);
  }

  async podman(...args: string[]): Promise<string> {
    return this.#engine.podman(...args);
  }

  /** Names of the containers of a service, or of all, that exist. */
  async containers(service?: string): Promise<string[]> {
    const label = (key: string, value: string) => ["--filter", `label=io.podman.compose.${key}=${value}`];
    const ofService =
      service === undefined ? [] : ["--filter", `label=com.docker.compose.service=${service}`];
    const names = await this.podman(
      "ps",
      "--all",
      ...label("project", this.name),
      ...ofService,
      "--format",
      "{{.Names}}",
    );
    return names.split("\n").filter((name) => name !== "");
  }

  /** Changes variables and runs `up` again, for example to scale a service. */
  async apply(settings: Readonly<Record<string, string>>): Promise<void> {
    this.#settings = { ...this.#settings, ...settings };
    await this.#writeSettings();
    await this.#up();
  }

  /** Adds a compose file and changes variables, and runs `up` again. */
  async overlay(file: string, settings: Readonly<Record<string, string>> = {}): Promise<void> {
    this.#files = [...this.#files, file];
    await this.apply(settings);
  }

  /** Removes a container and starts it from the current image; resolves once it is healthy. */
  async replace(service: string, container: string): Promise<void> {
    await this.podman("rm", "--force", "--time", "30", container);
    await this.compose("up", "--detach", "--no-deps", "--no-recreate", service);
    await this.healthy(container);
  }

  /** Restarts a container with a grace period of 30 s and resolves once it is healthy. */
  async restart(container: string): Promise<void> {
    await this.podman("restart", "--time", "30", container);
    await this.healthy(container);
  }

  /** Kills a container and keeps its restart policy from restarting it. */
  async halt(container: string): Promise<void> {
    await this.kill(container);
    await this.podman("stop", "--time", "0", container);
  }

  /** Sends SIGKILL to a container. */
  async kill(container: string): Promise<void> {
    await this.podman("kill", "--signal", "KILL", container);
  }

  /** Starts a killed container unless its restart policy already has, and resolves once it is healthy. */
  async revive(container: string): Promise<void> {
    await until(`${container} runs`, async () => {
      await this.podman("start", container);
      return true;
    });
    await this.healthy(container);
  }

  /** Waits until a container's health check passes. It is run from here, since podman needs systemd to schedule it. */
  async healthy(container: string): Promise<void> {
    const check = async () => {
      await this.podman("healthcheck", "run", container);
      return true;
    };
    await until(`${container} is healthy`, check, HEALTHY_MS);
  }

  /** Pauses containers while `work` runs. On a busy machine a container may be refused to be paused or to go on: then it is tried again. */
  async whilePaused(containers: readonly string[], work: () => Promise<void>): Promise<void> {
    const bring = async (command: "pause" | "unpause", state: string) => {
      for (const name of containers) {
        await until(`${name} is ${state}`, async () => {
          const found = await this.podman("inspect", "--format", "{{.State.Status}}", name);
          if (found.trim() === state) return true;
          await this.podman(command, name);
          return false;
        });
      }
    };
    try {
      await bring("pause", "paused");
      await work();
    } finally {
      await bring("unpause", "running");
    }
  }

  /**
   * Waits until the containers of these services are healthy, one after the other: a check takes half a second of a core, and checks of all
   * at once would keep the containers from starting.
   */
  async allHealthy(services: readonly string[]): Promise<void> {
    for (const name of await this.#containersOf(services)) await this.healthy(name);
  }

  /** Runs a query; resolves with rows of columns as text. */
  async query(sql: string): Promise<string[][]> {
    const [postgres = ""] = await this.containers("postgres");
    const command = ["psql", "--username=tarsy", "--no-align", "--tuples-only", "--field-separator=\t"];
    const text = await this.podman("exec", postgres, ...command, "--command", sql);
    return text
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => line.split("\t"));
  }

  /** The last lines of every container's output, for the message of a failing test. */
  async output(): Promise<string> {
    const logs = (await this.containers()).map(
      async (name) => `--- ${name}\n${await this.#engine.logs(name).catch(String)}`,
    );
    return (await Promise.all(logs)).join("\n");
  }

  /** Runs deploy/down.sh on this stack; resolves with what it says. Rejects if something could not be removed. */
  async takeDown(...options: string[]): Promise<string> {
    return this.#engine.run("deploy/down.sh", "--project", this.name, ...options);
  }

  /** Removes containers, networks, volumes and the images built for this stack. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.takeDown("--volumes");
    for (const image of IMAGES) {
      await this.podman("rmi", "--force", "--ignore", `localhost/${image}:${this.name}`);
    }
    await rm(this.#directory, { recursive: true, force: true });
  }

  async #areBuilt(): Promise<boolean> {
    const found = await this.podman("images", "--format", "{{.Repository}}:{{.Tag}}");
    return IMAGES.every((image) => found.split("\n").includes(`localhost/${image}:${this.name}`));
  }

  async #containersOf(services: readonly string[]): Promise<string[]> {
    return (await Promise.all(services.map(async (service) => this.containers(service)))).flat();
  }

  get #secretsFile(): string {
    return join(this.#directory, "secrets");
  }

  get #envFile(): string {
    return join(this.#directory, "env");
  }

  async #writeSettings(): Promise<void> {
    const lines = Object.entries(this.#settings).map(([key, value]) => `${key}=${value}`);
    const secrets = await readFile(this.#secretsFile, "utf8");
    await writeFile(this.#envFile, `${secrets}\n${lines.join("\n")}\n`, { mode: 0o600 });
  }

  async #up(): Promise<void> {
    await this.compose("up", "--detach");
    // What ends before the others start has no health check.
    const once = new Set(await this.#containersOf(ONCE));
    for (const name of await this.containers()) if (!once.has(name)) await this.healthy(name);
  }
}
