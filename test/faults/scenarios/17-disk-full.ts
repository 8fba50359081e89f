import { join } from "node:path";
import { until } from "../../support/until.ts";
import { RefusedError } from "../harness/alert-sender.ts";
import type { FaultLab } from "../harness/fault-lab.ts";
import type { Scenario } from "../harness/scenario.ts";
import { SmallDisks, fillDisk, freeDisk } from "../../support/small-disks.ts";

/** Sizes of the disks for the servers' data. */
const DISKS = { nats: "24m", postgres: "160m" };
/** No space left on device, first for NATS, then for Postgres. */
export const diskFull: Scenario = {
  name: "disk-full",
  summary: "the disks of NATS and then of Postgres run full and are freed again",
  run: async ({ lab: openLab, progress, figure, expect, allowComplaints }) => {
    allowComplaints(/no space left|JetStream/iu);
    using disks = new SmallDisks();
    const lab = await openLab({
      executors: 1,
      slots: 5,
      prepareDirectory: (directory) => disks.mount(directory, DISKS),
    });
    await lab.alerts.submitMany(2, { turns: 1 });
    await lab.untilAllTerminal();

    await fillDisk(join(lab.servers.directory, "nats"));
    progress("the disk of NATS is full");
    const whileFull = await Promise.all(Array.from({ length: 20 }, () => statusOf(lab)));
    expect(
      "every alert is accepted while the disk of NATS is full",
      whileFull.every((status) => status === 202),
      whileFull.join(),
    );
    await freeDisk(join(lab.servers.directory, "nats"));
    const natsAt = performance.now();
    await lab.untilAllTerminal();
    figure("from free space for NATS to the end of all sessions", (performance.now() - natsAt) / 1_000, "s");

    await fillDisk(join(lab.servers.directory, "postgres"));
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
    await freeDisk(join(lab.servers.directory, "postgres"));
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
  },
};

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
