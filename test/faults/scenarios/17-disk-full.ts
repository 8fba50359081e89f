import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { rm, statfs, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { errorMessage } from "#shared/errors.ts";
import { until } from "../../support/until.ts";
import { RefusedError } from "../harness/alert-sender.ts";
import type { FaultLab } from "../harness/fault-lab.ts";
import type { Scenario } from "../harness/scenario.ts";

/** Sizes of the in-memory disks for the servers' data. Mounting them needs root. */
const DISKS = { nats: "24m", postgres: "160m" };
const BALLAST = "ballast";
/** File sizes in bytes; smaller files at the end fill nearly the whole disk. */
const STEPS = [1024 * 1024, 64 * 1024, 4096];

/** No space left on device, first for NATS, then for Postgres. */
export const diskFull: Scenario = {
  name: "disk-full",
  summary: "the disks of NATS and then of Postgres run full and are freed again",
  run: async ({ lab: openLab, progress, figure, expect, allowComplaints }) => {
    allowComplaints(/no space left|JetStream/iu);
    const mounts: string[] = [];
    try {
      const lab = await openLab({
        executors: 1,
        slots: 5,
        prepareDirectory: (directory) => mountDisks(directory, mounts),
      });
      await lab.alerts.submitMany(2, { turns: 1 });
      await lab.untilAllTerminal();

      await fill(join(lab.servers.directory, "nats"));
      progress("the disk of NATS is full");
      const whileFull = await Promise.all(Array.from({ length: 20 }, () => statusOf(lab)));
      expect(
        "every alert is accepted while the disk of NATS is full",
        whileFull.every((status) => status === 202),
        whileFull.join(),
      );
      await free(join(lab.servers.directory, "nats"));
      // NATS servers before 2.10 hang until an operator restarts them.
      await lab.servers.killNats();
      await lab.servers.restartNats();
      const natsAt = performance.now();
      await lab.untilAllTerminal();
      figure(
        "from free space for NATS to the end of all sessions",
        (performance.now() - natsAt) / 1_000,
        "s",
      );

      await fill(join(lab.servers.directory, "postgres"));
      progress("the disk of Postgres is full");
      const refused = await until("an alert is refused", async () => {
        const status = await statusOf(lab, "x".repeat(500_000));
        return status !== 202 && status;
      });
      expect(
        "an alert is refused with 503 while the disk of Postgres is full",
        refused === 503,
        String(refused),
      );
      const health = await until("GET /health notices it", async () => {
        const answer = await healthOf(lab);
        return answer.status !== "healthy" && answer;
      });
      expect(
        "GET /health is unhealthy, with 503 and the reason, while the disk of Postgres is full",
        health.code === 503 && health.status === "unhealthy" && /disk is full/u.test(health.text),
        health.text,
      );
      await free(join(lab.servers.directory, "postgres"));
      if (lab.servers.postgres.hasExited()) await lab.servers.restartPostgres();
      const postgresAt = performance.now();
      await until("alerts are accepted again", async () => (await statusOf(lab)) === 202, 60_000);
      await until("GET /health is healthy again", async () => (await healthOf(lab)).status === "healthy");
      await lab.untilAllTerminal();
      figure(
        "from free space for Postgres to the end of all sessions",
        (performance.now() - postgresAt) / 1_000,
        "s",
      );
      expect("every session completes", (await lab.countByStatus("completed")) === lab.alerts.acked.size);
    } finally {
      // The servers still use the disks: a lazy unmount removes them after the servers have stopped.
      for (const mount of mounts) execFileSync("umount", ["--lazy", mount]);
    }
  },
};

function mountDisks(directory: string, mounts: string[]): void {
  for (const [name, size] of Object.entries(DISKS)) {
    const mount = join(directory, name);
    mkdirSync(mount, { recursive: true });
    try {
      execFileSync("mount", ["-t", "tmpfs", "-o", `size=${size},mode=0755`, "tmpfs", mount], {
        stdio: "pipe",
      });
    } catch (error) {
      throw new Error(
        `an in-memory disk cannot be mounted (${errorMessage(error)}): run this scenario as root`,
        { cause: error },
      );
    }
    mounts.push(mount);
  }
}

async function fill(directory: string): Promise<void> {
  for (const step of STEPS) {
    for (let n = 0; (await statfs(directory)).bavail * 4096 >= step; n += 1) {
      await writeFile(join(directory, `${BALLAST}-${step}-${n}`), Buffer.alloc(step)).catch(() => undefined);
    }
  }
}

async function free(directory: string): Promise<void> {
  execFileSync("sh", ["-c", `rm -f ${JSON.stringify(directory)}/${BALLAST}-*`]);
  await rm(join(directory, BALLAST), { force: true });
}

async function statusOf(lab: FaultLab, words = ""): Promise<number> {
  return lab.alerts.submit({ turns: 1, paceMs: 0, words }).then(
    () => 202,
    (error: unknown) => (error instanceof RefusedError ? error.status : 0),
  );
}

async function healthOf(lab: FaultLab): Promise<{ code: number; status: unknown; text: string }> {
  const { status: code, body } = await lab.client.request("GET", "/health");
  return { code, status: body["status"], text: JSON.stringify(body["checks"]) };
}
