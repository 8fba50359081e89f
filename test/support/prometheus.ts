import { execFile, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { Type, type Static, type TSchema } from "typebox";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { errorMessage } from "#shared/errors.ts";
import { fetchDebianPrograms } from "../../launcher/debian/fetch-debian-programs.ts";
import { projectPaths } from "../../launcher/project-paths.ts";
import { killOnExit } from "./kill-on-exit.ts";
import { testPort } from "./test-port.ts";
import { until } from "./until.ts";

const run = promisify(execFile);
const { tools } = projectPaths(join(import.meta.dirname, "../.."));

export interface PrometheusPrograms {
  readonly prometheus: string;
  readonly promtool: string;
}

/**
 * Finds Prometheus and promtool: on PATH, else those in `.tarsy/tools`, where they are put from Debian's package. Only tests need
 * them. Throws an error that says how to get them: without them the rules are not tested, and a test run must not hide that.
 */
export async function findPrometheus(): Promise<PrometheusPrograms> {
  const folders = [...(process.env["PATH"] ?? "").split(delimiter).filter((part) => part !== ""), tools];
  for (const folder of folders) {
    const found = { prometheus: join(folder, "prometheus"), promtool: join(folder, "promtool") };
    if (existsSync(found.prometheus) && existsSync(found.promtool) && (await doRun(found))) return found;
  }
  const target = { prometheus: join(tools, "prometheus"), promtool: join(tools, "promtool") };
  try {
    await fetchDebianPrograms({ toolsDir: tools, packageName: "prometheus", programs: { ...target } });
    await run(target.promtool, ["--version"]);
    return target;
  } catch (error) {
    const why = errorMessage(error);
    throw new Error(
      `the rules for Prometheus cannot be tested: neither found nor downloaded (${why}); put prometheus and promtool on PATH`,
      { cause: error },
    );
  }
}

async function doRun({ prometheus, promtool }: PrometheusPrograms): Promise<boolean> {
  try {
    await Promise.all([run(prometheus, ["--version"]), run(promtool, ["--version"])]);
    return true;
  } catch {
    return false;
  }
}

const parseAnswer = compileParser(
  "answer of Prometheus",
  Type.Object({
    status: Type.String(),
    error: Type.Optional(Type.String()),
    data: Type.Optional(Type.Unknown()),
  }),
);

/** A running Prometheus. */
export class PrometheusServer implements AsyncDisposable {
  readonly url: string;
  readonly #process: ChildProcess;

  private constructor(url: string, child: ChildProcess) {
    this.url = url;
    this.#process = child;
  }

  /** Starts it on the configuration file; its data goes into `directory`. Resolves once it is ready. */
  static async start(
    { prometheus }: PrometheusPrograms,
    { configFile, directory }: { readonly configFile: string; readonly directory: string },
  ): Promise<PrometheusServer> {
    const address = `127.0.0.1:${await testPort()}`;
    const child = spawn(
      prometheus,
      [
        `--config.file=${configFile}`,
        `--storage.tsdb.path=${directory}`,
        `--web.listen-address=${address}`,
        "--log.level=error",
      ],
      { stdio: "ignore" },
    );
    if (child.pid !== undefined) killOnExit(child.pid);
    const server = new PrometheusServer(`http://${address}`, child);
    await until("Prometheus is ready", async () => (await fetch(`http://${address}/-/ready`)).ok);
    return server;
  }

  /** Asks its API; resolves with the parsed `data`. Throws an error with its message if it refuses. */
  async ask<T extends TSchema>(
    path: string,
    parameters: Readonly<Record<string, string>>,
    schema: T,
  ): Promise<Static<T>> {
    const response = await fetch(`${this.url}/api/v1/${path}?${new URLSearchParams(parameters).toString()}`);
    const answer = parseAnswer(await response.json());
    if (answer.status !== "success") throw new Error(answer.error ?? `Prometheus answers ${response.status}`);
    return compileParser(`Prometheus' ${path}`, schema)(answer.data);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    const gone = once(this.#process, "exit");
    this.#process.kill("SIGKILL");
    await gone;
  }
}
