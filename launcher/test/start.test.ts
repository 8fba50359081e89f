import { expect } from "chai";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import {
  isRunning,
  parseProcessIdentity,
  processIdentity,
  type ProcessIdentity,
} from "../process/process-identity.mjs";
import { NIGHTLY } from "../../test/support/nightly.ts";
import { projectPaths } from "../project-paths.ts";
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
  /** The file that each service runs. */
  const programs = (): (string | undefined)[] =>
    serviceProcesses().map(({ pid }) =>
      readFileSync(`/proc/${pid}/cmdline`, "utf8")
        .split("\0")
        .find((one) => /\.(?:ts|mjs)$/u.test(one)),
    );
  const everyProcess = (): ProcessIdentity[] => [launcher(), ...serviceProcesses(), ...serverProcesses()];
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
  afterEach(function () {
    if (this.currentTest?.state === "failed") {
      for (const { output } of starts) process.stderr.write(`${output()}\n`);
    }
    for (const service of services) misbehave(root, service, undefined);
  });
  after(async () => {
    for (const { child, exited } of starts) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      child.kill("SIGTERM");
      await exited;
    }
    rmSync(root, { recursive: true });
  });

  describe("once it is ready", () => {
    let start: Start;
    let left: ChildProcess;
    let other: ChildProcess;
    const marker = join(paths.data, "marker");

    before(async () => {
      left = spawn("sleep", ["600"], { detached: true });
      other = spawn("sleep", ["600"]);
      mkdirSync(paths.data, { recursive: true });
      writeFileSync(marker, "");
      // What a killed launcher leaves: a service that runs, and one whose pid another process has by now.
      writeFileSync(
        paths.runRecord,
        JSON.stringify({
          api: processIdentity(left.pid ?? 0),
          executor: { pid: other.pid, started: "earlier" },
        }),
      );
      start = await ready(["--executors", "2", "--reset"]);
    });
    after(async () => {
      for (const child of [left, other]) {
        if (child.exitCode !== null || child.signalCode !== null) continue;
        const gone = once(child, "exit");
        child.kill();
        await gone;
      }
    });

    it("serves on the ports it prints, and explains the first steps", () => {
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
    });

    it("has stopped the services of a killed launcher, but no other process with such a pid", () => {
      expect(start.output()).to.include("stopped 1 services");
      expect(left.signalCode).to.equal("SIGTERM");
      expect(other.signalCode).to.equal(null);
    });

    it("runs the services' sources, because they could not be bundled, and says so", () => {
      expect(start.output()).to.include("the services start from their sources: they could not be bundled");
      const sources = services.map((service) => join(root, "services", service, "main.ts"));
      expect(programs()).to.have.members([...sources, join(root, "services/executor/main.ts")]);
      const worker = join(root, "services/executor/tools/built-in/text-worker.ts");
      mkdirSync(dirname(worker), { recursive: true });
      writeFileSync(worker, "");
    });

    it("has deleted the data with --reset", () => {
      expect(existsSync(marker)).to.equal(false);
      writeFileSync(marker, "");
    });

    it("passes each service its environment", () => {
      const folder = join(root, "services", "executor");
      const alive = new Set(serviceProcesses().map(({ pid }) => `.env-${pid}.json`));
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

    it("has migrated the database before it started the services, as its owner, which no service is", () => {
      expect(readJson(join(root, "services/migrate/.env.json")))
        .to.have.property("DATABASE_URL")
        .that.matches(/^postgres:\/\/tarsy:\w+@127\.0\.0\.1:\d+\/tarsy$/);
      const urls = serviceProcesses().map(({ pid }) => {
        const environment = readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
        return environment.find((line) => line.startsWith("DATABASE_URL="))?.split(":")[1] ?? "";
      });
      expect(urls).to.have.members([
        "",
        ...["api", "executor", "executor", "tool_runner", "notifier"].map((name) => `//tarsy_${name}`),
      ]);
    });

    it("reports in one sentence that it is already running", async () => {
      const second = begin();
      expect(await second.exited).to.equal(1);
      expect(second.output().trim())
        .to.include("already running")
        .and.include(String(launcher().pid))
        .and.not.include("\n");
      expect(start.child.exitCode).to.equal(null);
    });

    it("restarts a killed PostgreSQL or NATS on the same port", async () => {
      for (const [index, name] of ["PostgreSQL", "NATS server"].entries()) {
        process.kill(serverProcesses()[index]?.pid ?? Number.NaN, "SIGKILL");
        await start.prints(`the embedded ${name} ended unexpectedly (signal SIGKILL)`);
        await start.prints(`the embedded ${name} is back`);
      }
      const [, port = ""] = /embedded PostgreSQL on 127\.0\.0\.1:(\d+)/u.exec(start.output()) ?? [];
      const socket = connect(Number(port), "127.0.0.1");
      await once(socket, "connect");
      socket.destroy();
      expect(everyProcess().every(isRunning)).to.equal(true);
    });

    for (const who of NIGHTLY ? (["the launcher", "start.mjs", "npm"] as const) : (["npm"] as const)) {
      it(`starts again with its data after kill -9 of ${who}, and no process of before is left`, async () => {
        const main = launcher().pid;
        const victim = { "the launcher": main, "start.mjs": parentOf(main), npm: start.child.pid ?? 0 }[who];
        const processes = everyProcess();
        process.kill(victim, "SIGKILL");
        start = await ready();
        expect(processes.some(isRunning)).to.equal(false);
        expect(existsSync(marker)).to.equal(true);
      });
    }

    it("runs bundles of the services once they can be made", () => {
      const [made = ""] = readdirSync(paths.bundles);
      const bundles = services.map((service) => join(paths.bundles, made, "services", service, "main.mjs"));
      expect(programs()).to.have.members(bundles);
    });

    it("stops in order with exit code 0", async () => {
      const processes = everyProcess();
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

  // supervise-service.test.ts and stop-request.test.ts have both in the small.
  if (NIGHTLY) {
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
  }
});
