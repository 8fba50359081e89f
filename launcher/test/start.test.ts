import { expect } from "chai";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import {
  isRunning,
  parseProcessIdentity,
  processIdentity,
  type ProcessIdentity,
} from "../process/process-identity.mjs";
import { NIGHTLY } from "../../test/support/nightly.ts";
import { projectPaths } from "../project-paths.ts";
import { waitUntilGone } from "../process/stop-process.ts";
import { createCheckout, misbehave, npmStart, services, type Start } from "./checkout.ts";

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(path, "utf8"));
}

function parentOf(pid: number): number {
  return Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
}

describe("npm start", () => {
  const root = mkdtempSync(join(tmpdir(), "tarsy-start-"));
  const paths = projectPaths(root);
  const starts: Start[] = [];
  const begin = (args: readonly string[] = [], env: NodeJS.ProcessEnv = {}): Start => {
    const start = npmStart(root, args, env);
    starts.push(start);
    return start;
  };
  const ready = async (args: readonly string[] = []): Promise<Start> => {
    const start = begin(args);
    await start.prints("TARSy is ready at http://localhost:");
    return start;
  };
  const launcher = (): ProcessIdentity => {
    const found = parseProcessIdentity(readJson(paths.lock));
    if (found === undefined) throw new Error("the lock is free");
    return found;
  };
  const serviceProcesses = (): ProcessIdentity[] => {
    const record = readJson(paths.runRecord);
    return Object.values(typeof record === "object" && record !== null ? record : {}).flatMap(
      (value: unknown) => parseProcessIdentity(value) ?? [],
    );
  };
  const serverProcesses = (): ProcessIdentity[] =>
    [paths.postgres, paths.nats].flatMap((folder) => {
      const record = readJson(join(folder, "server.json"));
      const server: unknown =
        typeof record === "object" && record !== null && "server" in record ? record.server : null;
      return parseProcessIdentity(server) ?? [];
    });
  const everyProcess = (): ProcessIdentity[] => [launcher(), ...serviceProcesses(), ...serverProcesses()];
  const allGone = async (processes: readonly ProcessIdentity[]): Promise<boolean> =>
    (await Promise.all(processes.map(async (one) => waitUntilGone(one, 20_000)))).every(Boolean);
  const expectNothingLeft = (): void => {
    for (const path of [
      paths.lock,
      paths.runRecord,
      join(paths.nats, "server.json"),
      join(paths.postgres, "server.json"),
    ]) {
      expect(existsSync(path), path).to.equal(false);
    }
    expect(existsSync(join(paths.postgres, "cluster", "postmaster.pid"))).to.equal(false);
  };

  before(() => createCheckout(root));
  afterEach(async function () {
    if (this.currentTest?.state === "failed") {
      for (const { output } of starts) process.stderr.write(`${output()}\n`);
    }
    for (const service of services) misbehave(root, service, undefined);
    for (const { child, exited } of starts.splice(0)) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      child.kill("SIGTERM");
      await exited;
    }
  });
  after(() => rmSync(root, { recursive: true }));

  it("serves on the ports it prints, explains the first steps, and stops in order with exit code 0", async () => {
    const start = await ready(["--executors", "2"]);
    for (const words of [
      "scripted demo model",
      "GOOGLE_API_KEY",
      "npm run alert",
      `/#token=${readFileSync(paths.token, "utf8").trim()}`,
      "embedded PostgreSQL",
      "embedded NATS",
    ]) {
      expect(start.output()).to.include(words);
    }
    const processes = everyProcess();
    const [, pid] = /kill -9 (\d+)/u.exec(start.output()) ?? [];
    expect(processes.map((one) => one.pid)).to.include(Number(pid));
    expect(processes).to.have.length(1 + 6 + 2);
    expect(processes.every(isRunning)).to.equal(true);
    start.child.kill("SIGTERM");
    expect(await start.exited).to.equal(0);
    expect(processes.some(isRunning)).to.equal(false);
    const output = start.output();
    const order = ["api", "executor", "llm-gateway"].map((name) =>
      output.indexOf(`${name.padEnd(11)} | stopping`),
    );
    expect(order)
      .to.deep.equal(order.toSorted((a, b) => a - b))
      .and.not.include(-1);
    expectNothingLeft();
  });

  it("restarts a killed PostgreSQL or NATS on the same port", async () => {
    const start = await ready();
    for (const [index, name] of ["PostgreSQL", "NATS server"].entries()) {
      process.kill(serverProcesses()[index]?.pid ?? Number.NaN, "SIGKILL");
      await start.prints(`the embedded ${name} ended unexpectedly (signal SIGKILL)`);
      await start.prints(`the embedded ${name} is back`);
    }
    const [, port = ""] = /embedded PostgreSQL on 127\.0\.0\.1:(\d+)/u.exec(start.output()) ?? [];
    const socket = connect(Number(port), "127.0.0.1");
    await once(socket, "connect");
    socket.destroy();
    const processes = everyProcess();
    expect(processes.every(isRunning)).to.equal(true);
    start.child.kill("SIGTERM");
    expect(await start.exited).to.equal(0);
    expect(processes.some(isRunning)).to.equal(false);
    expectNothingLeft();
  });

  it("passes each service its environment", async () => {
    await ready(["--executors", "2"]);
    const folder = join(root, "services", "executor");
    const alive = new Set(serviceProcesses().map(({ pid }) => `env-${pid}.json`));
    const envs = readdirSync(folder)
      .filter((name) => alive.has(name))
      .map((name) => readJson(join(folder, name)));
    expect(envs).to.have.length(2);
    for (const env of envs) {
      expect(env)
        .to.have.property("DATABASE_URL")
        .that.matches(/^postgres:\/\/tarsy_executor:\w+@127\.0\.0\.1:\d+\/tarsy$/);
      expect(env)
        .to.have.property("NATS_URL")
        .that.matches(/^nats:\/\/executor:\w{40,}@127\.0\.0\.1:\d+$/);
      expect(env).not.to.have.property("NATS_ADMIN_URL");
      expect(env)
        .to.have.property("LLM_GATEWAY_ADDR")
        .that.matches(/^127\.0\.0\.1:[1-9]\d+$/);
      expect(env).to.have.property("CONFIG_DIR", join(root, "deploy", "config", "demo"));
      expect(env).to.have.property("LOG_FORMAT", "pretty");
    }
  });

  it("migrates the database before it starts the services, as its owner, which no service is", async () => {
    await ready();
    expect(readJson(join(root, "services/migrate/env.json")))
      .to.have.property("DATABASE_URL")
      .that.matches(/^postgres:\/\/tarsy:\w+@127\.0\.0\.1:\d+\/tarsy$/);
    const urls = serviceProcesses().map(({ pid }) => {
      const environment = readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
      return environment.find((line) => line.startsWith("DATABASE_URL="))?.split(":")[1] ?? "";
    });
    expect(urls).to.have.members([
      "",
      ...["api", "executor", "tool_runner", "notifier"].map((name) => `//tarsy_${name}`),
    ]);
  });

  it("stops in order on Ctrl-C, which reaches the whole process group", async () => {
    const start = npmStartInGroup();
    await start.prints("TARSy is ready");
    const processes = everyProcess();
    process.kill(-(start.child.pid ?? 0), "SIGINT");
    await start.exited;
    expect(await allGone(processes)).to.equal(true);
    expect(start.output())
      .to.include("stopped by")
      .and.include("everything is stopped")
      .and.not.include("SIGKILL");
    expectNothingLeft();
  });

  it("reports in one sentence that it is already running", async () => {
    const first = await ready();
    const second = begin();
    expect(await second.exited).to.equal(1);
    expect(second.output().trim())
      .to.include("already running")
      .and.include(String(launcher().pid))
      .and.not.include("\n");
    expect(first.child.exitCode).to.equal(null);
  });

  for (const who of NIGHTLY ? (["the launcher", "start.mjs", "npm"] as const) : (["npm"] as const)) {
    it(`starts again after kill -9 of ${who}, and no process of the first start is left`, async () => {
      const first = await ready();
      const main = launcher().pid;
      const victim = { "the launcher": main, "start.mjs": parentOf(main), npm: first.child.pid ?? 0 }[who];
      const processes = everyProcess();
      process.kill(victim, "SIGKILL");
      const second = await ready();
      expect(processes.some(isRunning)).to.equal(false);
      second.child.kill("SIGTERM");
      expect(await second.exited).to.equal(0);
      expectNothingLeft();
    });
  }

  it("stops the services of a killed launcher, but no other process with such a pid", async () => {
    const left = spawn("sleep", ["600"], { detached: true });
    const other = spawn("sleep", ["600"]);
    const exits = [once(left, "exit"), once(other, "exit")];
    writeFileSync(
      paths.runRecord,
      JSON.stringify({
        api: processIdentity(left.pid ?? 0),
        executor: { pid: other.pid, started: "earlier" },
      }),
    );
    try {
      const start = await ready();
      expect(start.output()).to.include("stopped 1 services");
      expect(left.signalCode).to.equal("SIGTERM");
      expect(other.signalCode).to.equal(null);
    } finally {
      left.kill();
      other.kill();
      await Promise.all(exits);
    }
  });

  it("keeps the data until --reset", async () => {
    const marker = join(paths.data, "marker");
    const stop = async ({ child, exited }: Start): Promise<void> => {
      child.kill("SIGTERM");
      await exited;
    };
    await stop(await ready());
    writeFileSync(marker, "");
    await stop(await ready());
    expect(existsSync(marker)).to.equal(true);
    await ready(["--reset"]);
    expect(existsSync(marker)).to.equal(false);
  });

  it("gives up with the last output of a service that cannot start, and stops the others", async () => {
    misbehave(root, "executor", "die");
    const start = begin();
    expect(await start.exited).to.equal(1);
    expect(start.output()).to.include("executor ended 5 times").and.include("no disk space");
    expectNothingLeft();
  });

  it("kills a service that does not stop on a second stop request", async () => {
    misbehave(root, "api", "deaf");
    const start = await ready();
    const processes = everyProcess();
    start.child.kill("SIGTERM");
    await start.prints("stopping because of SIGTERM");
    const ended = start.exited.then(() => true);
    // Repeat until the signal counts as a second request; signals within a second count as one. With a pause between them,
    // since npm can miss the exit of its child in a flood of signals.
    while (!(await Promise.race([ended, delay(50, false)]))) start.child.kill("SIGTERM");
    expect(processes.some(isRunning)).to.equal(false);
    expectNothingLeft();
  });

  it("refuses an invalid command line with exit code 2 and an unreachable database with 1", async () => {
    const wrong = begin(["--sessions", "5"]);
    expect(await wrong.exited).to.equal(2);
    const unreachable = begin([], { DATABASE_URL: "postgres://tarsy:tops3cret@127.0.0.1:1/tarsy" });
    expect(await unreachable.exited).to.equal(1);
    expect(unreachable.output()).to.include("DATABASE_URL leads to 127.0.0.1:1").and.not.include("tops3cret");
    const nowhere = begin(["--config-dir", "no/such/place"]);
    expect(await nowhere.exited).to.equal(2);
    expectNothingLeft();
  });

  function npmStartInGroup(): Start {
    const start = npmStart(root, [], {}, true);
    starts.push(start);
    return start;
  }
});
