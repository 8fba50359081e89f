import { execFile, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { errorMessage } from "#shared/errors.ts";
import { fetchDebianPrograms } from "../../launcher/debian/fetch-debian-programs.ts";
import { projectPaths } from "../../launcher/project-paths.ts";
import { killOnExit } from "./kill-on-exit.ts";
import { testPort } from "./test-port.ts";
import { PermanentError, until } from "./until.ts";

const run = promisify(execFile);
const PACKAGE = "prometheus-alertmanager";
const { tools } = projectPaths(join(import.meta.dirname, "../.."));
/** Where Debian's Alertmanager reads its templates, which a program that is only unpacked does not have there. */
const TEMPLATES = "/usr/share/prometheus/alertmanager";
const MAX_LOG = 4_000;

async function doesRun(program: string): Promise<boolean> {
  try {
    await run(program, ["--version"]);
    return true;
  } catch {
    return false;
  }
}

/**
 * Writes a copy of Debian's program to `target` that reads its templates from the directory in which it is started: the path
 * in it is replaced by `./././…` of the same length. An Alertmanager without that path is copied as it is.
 */
async function readTemplatesHere(source: string, target: string): Promise<void> {
  const bytes = await readFile(source);
  const here = "./".repeat(TEMPLATES.length / 2);
  for (let at = bytes.indexOf(TEMPLATES); at >= 0; at = bytes.indexOf(TEMPLATES, at)) bytes.write(here, at);
  await writeFile(source, bytes, { mode: 0o755 });
  await rename(source, target);
}

/**
 * Finds Alertmanager on PATH, else in `.tarsy/tools`, where it is put from Debian's package. Only tests need it. Throws an error
 * that says how to get it: without it the webhook is not tested, and a test run must not hide that.
 */
export async function findAlertmanager(): Promise<string> {
  const target = join(tools, "alertmanager");
  const folders = (process.env["PATH"] ?? "").split(delimiter).filter((part) => part !== "");
  const places = [
    ...folders.flatMap((folder) => [join(folder, "alertmanager"), join(folder, PACKAGE)]),
    target,
  ];
  for (const place of places) if (existsSync(place) && (await doesRun(place))) return place;
  const unpacked = join(tools, `${PACKAGE}-${process.pid}`);
  try {
    await fetchDebianPrograms({ toolsDir: tools, packageName: PACKAGE, programs: { [PACKAGE]: unpacked } });
    await readTemplatesHere(unpacked, target);
    await run(target, ["--version"]);
    return target;
  } catch (error) {
    const why = errorMessage(error);
    throw new Error(
      `the webhook of Alertmanager cannot be tested: neither found nor downloaded (${why}); put alertmanager on PATH`,
      { cause: error },
    );
  } finally {
    await rm(unpacked, { force: true });
  }
}

/** How a receiver is notified. */
interface Receiver {
  readonly url: string;
  readonly token: string;
  /** After a successful notification of a group: the time until the next one, also of what has not changed. Default 1s. */
  readonly interval?: string;
}

/** A running Alertmanager with a group for each `alertname`. It is no member of a cluster. */
export class Alertmanager implements AsyncDisposable {
  readonly #url: string;
  readonly #process: ChildProcess;
  readonly #registration: Disposable;

  private constructor(url: string, child: ChildProcess, registration: Disposable) {
    this.#url = url;
    this.#process = child;
    this.#registration = registration;
  }

  /**
   * Starts it with the webhook and the bearer token of `receiver`; its files go into `directory`. Resolves once it is ready.
   * Throws an error with the end of its log if it ends before.
   */
  static async start(directory: string, receiver: Receiver): Promise<Alertmanager> {
    const program = await findAlertmanager();
    const { interval = "1s" } = receiver;
    const authorization = { type: "Bearer", credentials: receiver.token };
    const webhook = { url: receiver.url, send_resolved: true, http_config: { authorization } };
    const config = {
      route: {
        receiver: "tarsy",
        group_by: ["alertname"],
        group_wait: "1s",
        group_interval: interval,
        repeat_interval: interval,
      },
      receivers: [{ name: "tarsy", webhook_configs: [webhook] }],
    };
    const file = join(directory, "alertmanager.yml");
    await writeFile(file, JSON.stringify(config));
    // No webhook uses a template, but Debian's program does not start without these files.
    for (const name of ["default.tmpl", "email.tmpl"]) await writeFile(join(directory, name), "");
    const address = `127.0.0.1:${await testPort()}`;
    const child = spawn(
      program,
      [
        `--config.file=${file}`,
        `--storage.path=${join(directory, "data")}`,
        `--web.listen-address=${address}`,
        "--cluster.listen-address=",
      ],
      { cwd: directory, stdio: ["ignore", "ignore", "pipe"] },
    );
    let log = "";
    child.stderr.on("data", (text: Buffer) => (log = `${log}${text.toString()}`.slice(-MAX_LOG)));
    const server = new Alertmanager(`http://${address}`, child, killOnExit(child.pid ?? 0));
    try {
      await until("Alertmanager is ready", async () => {
        if (!server.#isRunning) throw new PermanentError(`Alertmanager has ended: ${log}`);
        return (await fetch(`http://${address}/-/ready`)).ok;
      });
    } catch (error) {
      await server[Symbol.asyncDispose]();
      throw error;
    }
    return server;
  }

  get #isRunning(): boolean {
    return this.#process.exitCode === null && this.#process.signalCode === null;
  }

  /** Reports alerts as Prometheus does: one that has ended by now is resolved. Throws if they are refused. */
  async report(
    alerts: readonly {
      readonly labels: Readonly<Record<string, string>>;
      readonly startsAt: Date;
      readonly endsAt: Date;
    }[],
  ): Promise<void> {
    const response = await fetch(`${this.#url}/api/v2/alerts`, {
      method: "POST",
      body: JSON.stringify(alerts),
      headers: { "content-type": "application/json" },
    });
    if (!response.ok) throw new Error(`Alertmanager answers ${response.status}: ${await response.text()}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isRunning) {
      const gone = once(this.#process, "exit");
      this.#process.kill("SIGKILL");
      await gone;
    }
    this.#registration[Symbol.dispose]();
  }
}
