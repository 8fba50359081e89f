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
} from "../process-identity.mjs";
import { projectPaths } from "../project-paths.ts";
import { waitUntilGone } from "../stop-process.ts";
import { makeCheckout, misbehave, npmStart, services, type Start } from "./checkout.ts";

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
    await start.says("TARSy is ready at http://localhost:");
    return start;
  };
  const launcher = (): ProcessIdentity => {
    const found = parseProcessIdentity(readJson(paths.lock));
    if (found === undefined) throw new Error("nobody holds the lock");
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

  before(() => makeCheckout(root));
  afterEach(async () => {
    for (const service of services) misbehave(root, service, undefined);
    for (const { child, exited } of starts.splice(0)) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      child.kill("SIGTERM");
      await exited;
    }
  });
  after(() => rmSync(root, { recursive: true }));

  it("serves on the ports it names, tells what to do first, and ends in order with exit code 0", async () => {
    const start = await ready(["--executors", "2"]);
    for (const words of [
      "scripted demo model",
      "GOOGLE_API_KEY",
      "/ws",
      "npm run alert",
      "embedded PostgreSQL",
      "embedded NATS",
    ]) {
      expect(start.output()).to.include(words);
    }
    const processes = everyProcess();
    expect(processes).to.have.length(1 + 6 + 2);
    expect(processes.every(isRunning)).to.equal(true);
    start.child.kill("SIGTERM");
    expect(await start.exited).to.equal(0);
    expect(processes.some(isRunning)).to.equal(false);
    const said = start.output();
    const order = ["api", "executor", "llm-gateway"].map((name) =>
      said.indexOf(`${name.padEnd(11)} | stopping`),
    );
    expect(order)
      .to.deep.equal(order.toSorted((a, b) => a - b))
      .and.not.include(-1);
    expectNothingLeft();
  });

  it("starts a PostgreSQL or NATS that was killed again, where the services look for it", async () => {
    const start = await ready();
    for (const [index, name] of ["PostgreSQL", "NATS server"].entries()) {
      process.kill(serverProcesses()[index]?.pid ?? Number.NaN, "SIGKILL");
      await start.says(`the embedded ${name} ended unexpectedly (signal SIGKILL)`);
      await start.says(`the embedded ${name} is back`);
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

  it("reports the mistakes of a configuration before it starts anything", async () => {
    const folder = mkdtempSync(join(tmpdir(), "tarsy-config-"));
    writeFileSync(join(folder, "tarsy.yaml"), "queue: { worker_count: 99 }\n");
    writeFileSync(join(folder, "llm-providers.yaml"), "llm_providers: { mine: { type: nobody } }\n");
    const start = begin(["--config-dir", folder]);
    expect(await start.exited).to.equal(1);
    expect(start.output()).to.include(`${folder}/tarsy.yaml:1:24: queue.worker_count: must be`);
    expect(start.output()).to.include(`${folder}/llm-providers.yaml:1:32: llm_providers.mine.type: must be`);
    expect(start.output()).not.to.include("starting");
    expectNothingLeft();
    rmSync(folder, { recursive: true });
  });

  it("gives each service what it needs to know", async () => {
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
        .that.matches(/^postgres:\/\/tarsy:\w+@127\.0\.0\.1:\d+\/tarsy$/);
      expect(env)
        .to.have.property("NATS_URL")
        .that.matches(/^nats:\/\/127\.0\.0\.1:\d+$/);
      expect(env)
        .to.have.property("LLM_GATEWAY_ADDR")
        .that.matches(/^127\.0\.0\.1:[1-9]\d+$/);
      expect(env).to.have.property("CONFIG_DIR", join(root, "deploy", "config", "demo"));
      expect(env).to.have.property("LOG_FORMAT", "pretty");
    }
  });

  it("ends in order on a terminal's Ctrl-C, which reaches the whole group at once", async () => {
    const start = npmStartInGroup();
    await start.says("TARSy is ready");
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

  it("says in one sentence that it is already running", async () => {
    const first = await ready();
    const second = begin();
    expect(await second.exited).to.equal(1);
    expect(second.output().trim())
      .to.include("already running")
      .and.include(String(launcher().pid))
      .and.not.include("\n");
    expect(first.child.exitCode).to.equal(null);
  });

  for (const who of ["the launcher", "start.mjs", "npm"] as const) {
    it(`comes up again after kill -9 of ${who}, and nothing of the first start is left`, async () => {
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

  it("stops what a killed launcher left, and spares who has such a pid by now", async () => {
    const left = spawn("sleep", ["600"], { detached: true });
    const other = spawn("sleep", ["600"]);
    const gone = [once(left, "exit"), once(other, "exit")];
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
      await Promise.all(gone);
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

  it("gives up with the last words of a service that cannot start, and stops the rest", async () => {
    misbehave(root, "executor", "die");
    const start = begin();
    expect(await start.exited).to.equal(1);
    expect(start.output()).to.include("executor ended 5 times").and.include("the cupboard is bare");
    expectNothingLeft();
  });

  it("kills a service that does not stop once it is asked again", async () => {
    misbehave(root, "api", "deaf");
    const start = await ready();
    const processes = everyProcess();
    start.child.kill("SIGTERM");
    await start.says("stopping because of SIGTERM");
    const over = start.exited.then(() => true);
    // Until it counts as another request: the first signals are taken for the same one. Not in one flood, in which
    // npm can lose the signal that its child has ended.
    while (!(await Promise.race([over, delay(50, false)]))) start.child.kill("SIGTERM");
    expect(processes.some(isRunning)).to.equal(false);
    expectNothingLeft();
  });

  it("refuses a wrong command line with exit code 2 and an unreachable database with 1", async () => {
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
