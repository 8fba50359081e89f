import { fork, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect } from "chai";
import { until } from "../../../test/support/until.ts";

const SERVICE = join(import.meta.dirname, "stub-service.ts");

/** The stub service as a separate process, and the messages it logs. */
class ServiceProcess implements Disposable {
  readonly #child: ChildProcess;
  readonly #exit: Promise<unknown[]>;
  readonly #outputEnd: Promise<unknown[]>;
  #output = "";

  constructor(child: ChildProcess) {
    this.#child = child;
    this.#exit = once(child, "exit");
    if (child.stdout === null) throw new Error("the service was started without a pipe for its output");
    child.stdout.setEncoding("utf8").on("data", (text: string) => (this.#output += text));
    this.#outputEnd = once(child.stdout, "end");
  }

  get messages(): string[] {
    return [...this.#output.matchAll(/"message":"([^"]*)"/gu)].map(([, message]) => message ?? "");
  }

  async saying(message: string): Promise<void> {
    await until(`it says ${message}`, () => this.messages.includes(message));
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  disconnect(): void {
    this.#child.disconnect();
  }

  /** The exit code, once it has ended and all of its output has arrived. */
  async code(): Promise<unknown> {
    await this.#outputEnd;
    return (await this.#exit)[0];
  }

  [Symbol.dispose](): void {
    this.#child.kill("SIGKILL");
  }
}

const start = (fault = "none", env: Record<string, string> = {}) =>
  new ServiceProcess(
    spawn(process.execPath, [SERVICE, fault], { env: { LOG_FORMAT: "json", ...env }, stdio: "pipe" }),
  );
const RELEASED = ["second released", "first released", "stopped"];

describe("runService", () => {
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    it(`ends in order on ${signal}, what was opened last first`, async () => {
      using service = start();
      await service.saying("serving");
      service.kill(signal);
      expect(await service.code()).to.equal(0);
      expect(service.messages).to.deep.equal(["serving", "stopping", ...RELEASED]);
    });
  }

  it("refuses an invalid time scale, with the exit code that stops restarts", async () => {
    using service = start("none", { TARSY_TIME_SCALE: "9" });
    expect(await service.code()).to.equal(78);
    expect(service.messages.join()).to.include("TARSY_TIME_SCALE is");
  });

  it("starts again when a dependency goes away meanwhile, and releases what it had opened", async () => {
    using service = start("broken-start");
    await service.saying("serving");
    service.kill("SIGTERM");
    expect(await service.code()).to.equal(0);
    const broken = ["a dependency went away during the start: starting again", ...RELEASED.slice(0, 2)];
    expect(service.messages).to.deep.equal([
      ...broken,
      ...broken,
      ...broken,
      "serving",
      "stopping",
      ...RELEASED,
    ]);
  });

  it("ends in order when its parent process is gone", async () => {
    using service = new ServiceProcess(
      fork(SERVICE, ["none"], { env: { LOG_FORMAT: "json" }, execArgv: [], silent: true }),
    );
    await service.saying("serving");
    service.disconnect();
    expect(await service.code()).to.equal(0);
    expect(service.messages).to.deep.equal(["serving", "stopping", ...RELEASED]);
  });

  it("stops immediately when its parent process was gone before it listened", async () => {
    const service = new ServiceProcess(
      fork(SERVICE, ["slow-config"], { env: { LOG_FORMAT: "json" }, execArgv: [], silent: true }),
    );
    service.disconnect();
    expect(await service.code()).to.equal(0);
    expect(service.messages).to.include("stopped");
  });

  it("stops in order while it starts", async () => {
    using service = start("waiting-start");
    await service.saying("starting");
    service.kill("SIGTERM");
    expect(await service.code()).to.equal(0);
    expect(service.messages).to.deep.equal(["starting", "stopping", ...RELEASED]);
  });

  it("exits immediately on a second signal", async () => {
    using service = start("slow-release");
    await service.saying("serving");
    service.kill("SIGTERM");
    await service.saying("stopping");
    service.kill("SIGTERM");
    expect(await service.code()).to.equal(130);
  });

  it("releases what was opened and exits 1 with one sentence when it cannot start", async () => {
    using service = start("failing-start");
    expect(await service.code()).to.equal(1);
    expect(service.messages).to.deep.equal(["second released", "first released", "the port is taken"]);
  });

  it("exits 78 with one sentence when its configuration is wrong", async () => {
    using service = start("none", { LOG_LEVEL: "loud" });
    expect(await service.code()).to.equal(78);
    expect(service.messages).to.have.length(1);
    expect(service.messages[0]).to.include("environment variable LOG_LEVEL is");
  });
});
