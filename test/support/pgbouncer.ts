import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { accessSync, constants } from "node:fs";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { killOnExit } from "./kill-on-exit.ts";
import { testPort } from "./test-port.ts";
import { until } from "./until.ts";

/** Debian installs it where ordinary users have no path to. */
const PLACES = [...(process.env["PATH"] ?? "").split(":"), "/usr/sbin"];
/** It refuses to run as root. */
const NOBODY = 65_534;

/** The program, if this machine has it: `apt-get install pgbouncer`. */
export function findPgBouncer(): string | undefined {
  return PLACES.map((place) => join(place, "pgbouncer")).find((path) => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** A real PgBouncer in front of a Postgres, with its own defaults beside `settings`. */
export class PgBouncer implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #directory: string;
  readonly port: number;
  readonly #registration: Disposable;

  private constructor(child: ChildProcess, directory: string, port: number) {
    this.#child = child;
    this.#directory = directory;
    this.port = port;
    this.#registration = killOnExit(child.pid ?? 0);
  }

  /** `urls` lead to the same server, each with a role that may connect through the pooler. */
  static async start(
    program: string,
    urls: readonly string[],
    settings: Readonly<Record<string, string>> = {},
  ): Promise<PgBouncer> {
    const directory = await mkdtemp(join(tmpdir(), "pgbouncer-"));
    await chmod(directory, 0o755);
    const port = await testPort();
    const users = urls.map((url) => new URL(url));
    const [server] = users;
    const all = {
      listen_addr: "127.0.0.1",
      listen_port: String(port),
      unix_socket_dir: "",
      auth_type: "scram-sha-256",
      auth_file: join(directory, "users.txt"),
      ...settings,
    };
    const ini = join(directory, "pgbouncer.ini");
    await writeFile(all.auth_file, users.map((u) => `"${u.username}" "${u.password}"\n`).join(""));
    await writeFile(
      ini,
      `[databases]\n* = host=${server?.hostname} port=${server?.port}\n[pgbouncer]\n` +
        Object.entries(all)
          .map(([name, value]) => `${name} = ${value}\n`)
          .join(""),
    );
    const child = spawn(program, [ini], {
      stdio: ["ignore", "ignore", "pipe"],
      ...(process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {}),
    });
    const pooler = new PgBouncer(child, directory, port);
    let log = "";
    child.stderr.on("data", (chunk: Buffer) => (log += chunk.toString()));
    await until("PgBouncer is ready", () => {
      if (child.exitCode !== null) throw new Error(`PgBouncer has ended: ${log}`);
      return log.includes("process up");
    });
    return pooler;
  }

  /** The same database and role by way of the pooler. */
  urlOf(url: string): string {
    const own = new URL(url);
    own.host = `127.0.0.1:${this.port}`;
    return own.href;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode === null) {
      this.#child.kill("SIGKILL");
      await once(this.#child, "exit");
    }
    this.#registration[Symbol.dispose]();
    await rm(this.#directory, { recursive: true, force: true });
  }
}
