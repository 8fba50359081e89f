import { expect } from "chai";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../free-port.ts";
import { isRunning, type ProcessIdentity } from "../process/process-identity.mjs";
import { pauseAfter, superviseService, type SupervisedService } from "../supervisor/supervise-service.ts";
import { misbehave } from "./checkout.ts";
import { rejectionOf } from "./rejection-of.ts";

const backoff = { firstMs: 5, maxMs: 40, healthyMs: 60_000, maxQuickDeaths: 3 };

describe("superviseService", () => {
  let root = "";
  let lines: string[] = [];
  let processes: ProcessIdentity[] = [];
  let running: SupervisedService | undefined;
  let onLine = (_line: string): void => undefined;

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), "tarsy-supervise-"));
    const folder = join(root, "services", "api");
    mkdirSync(folder, { recursive: true });
    writeFileSync(
      join(folder, "main.ts"),
      `import ${JSON.stringify(join(import.meta.dirname, "stub-service.ts"))};\n`,
    );
    lines = [];
    processes = [];
    onLine = () => undefined;
  });
  afterEach(async () => {
    await running?.kill();
    rmSync(root, { recursive: true });
  });

  const supervise = async (isDev = false): Promise<SupervisedService> => {
    const port = await freePort("127.0.0.1");
    running = superviseService({
      plan: {
        name: "api",
        entry: join(root, "services", "api", "main.ts"),
        env: { PATH: process.env["PATH"], API_HEALTH_PORT: String(port) },
        readyUrl: `http://127.0.0.1:${port}/readyz`,
        stopStage: 0,
      },
      cwd: root,
      onLine: (line) => {
        lines.push(line);
        onLine(line);
      },
      onProcess: (identity) => {
        if (identity !== undefined) processes.push(identity);
      },
      backoff,
      ...(isDev && { dev: { onStart: () => undefined, onMessage: () => undefined } }),
    });
    return running;
  };
  const waitForLine = async (words: string): Promise<void> =>
    new Promise((resolve) => {
      onLine = (line) => {
        if (line.includes(words)) resolve();
      };
    });
  const newest = (): ProcessIdentity => {
    const found = processes.at(-1);
    if (found === undefined) throw new Error("no process was started");
    return found;
  };

  it("restarts a service that dies after it was ready, and reports it", async () => {
    const service = await supervise();
    await service.ready;
    for (let kills = 0; kills < backoff.maxQuickDeaths + 1; kills += 1) {
      const again = waitForLine("ready again");
      process.kill(newest().pid, "SIGKILL");
      await again;
    }
    expect(processes).to.have.length(backoff.maxQuickDeaths + 2);
    expect(lines.join("\n")).to.include("ended unexpectedly (signal SIGKILL); starting it again");
    expect(isRunning(newest())).to.equal(true);
  });

  it("gives up a service that dies repeatedly before it was ever ready, with its last output", async () => {
    misbehave(root, "api", "die");
    const service = await supervise();
    const message = await rejectionOf(service.ended);
    expect(message).to.include("api ended 3 times").and.include("exit code 3").and.include("no disk space");
    expect(processes).to.have.length(3);
    await service.stop();
  });

  it("gives up a misconfigured service immediately, with its output", async () => {
    misbehave(root, "api", "misconfigured");
    const service = await supervise();
    const message = await rejectionOf(service.ended);
    expect(message).to.include("api cannot use its settings").and.include("SHELF is invalid");
    expect(processes).to.have.length(1);
  });

  it("continues with a service that recovers before that", async () => {
    misbehave(root, "api", "die");
    const firstDeath = waitForLine("starting it again");
    const service = await supervise();
    await firstDeath;
    misbehave(root, "api", undefined);
    await service.ready;
  });

  it("restarts on request at once, and says how long that took", async () => {
    const service = await supervise();
    await service.ready;
    const again = waitForLine("ready again after");
    service.restart("a.ts changed");
    service.restart("b.ts changed");
    await again;
    expect(processes).to.have.length(2);
    expect(lines).to.include("restarting: a.ts changed").and.not.include("restarting: b.ts changed");
    expect(lines.join("\n")).not.to.include("unexpectedly");
  });

  it("waits with dev for a restart, instead of giving up a service that does not start", async () => {
    misbehave(root, "api", "misconfigured");
    const waits = waitForLine("does not start (exit code 78)");
    const service = await supervise(true);
    await waits;
    expect(service.waitsForRestart()).to.equal(true);
    misbehave(root, "api", undefined);
    service.restart("a.ts changed");
    await service.ready;
    expect(service.waitsForRestart()).to.equal(false);
    expect(processes).to.have.length(2);
  });

  it("stops a service that waits for a restart", async () => {
    misbehave(root, "api", "die");
    const waits = waitForLine("does not start");
    const service = await supervise(true);
    await waits;
    await Promise.all([service.stop(), service.ended]);
    expect(processes).to.have.length(1);
  });

  it("does not restart a stopped service", async () => {
    const service = await supervise();
    await service.ready;
    await Promise.all([service.stop(), service.ended]);
    expect(lines.at(-1)).to.equal("stopping because of SIGTERM");
    expect(processes).to.have.length(1);
    expect(isRunning(newest())).to.equal(false);
  });

  it("kills a service that ignores the stop signal", async () => {
    misbehave(root, "api", "deaf");
    const service = await supervise();
    await service.ready;
    const deaf = waitForLine("stopping because");
    const stopped = service.stop();
    await deaf;
    expect(isRunning(newest())).to.equal(true);
    await Promise.all([service.kill(), stopped]);
    expect(isRunning(newest())).to.equal(false);
  });
});

describe("pauseAfter", () => {
  it("doubles up to the limit, minus up to half of it at random", () => {
    const pauses = [1, 2, 3, 4, 5, 50].map((deaths) => pauseAfter(deaths, backoff, () => 1));
    expect(pauses).to.deep.equal([5, 10, 20, 40, 40, 40]);
    expect(pauseAfter(1, backoff, () => 0)).to.equal(2.5);
  });
});
