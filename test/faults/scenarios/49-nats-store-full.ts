import { setTimeout as wait } from "node:timers/promises";
import { join } from "node:path";
import { until } from "../../support/until.ts";
import type { FaultLab } from "../harness/fault-lab.ts";
import { claimOrder, mostConcurrent } from "./29-backlog.ts";
import type { Scenario, ScenarioContext } from "../harness/scenario.ts";
import { SmallDisks, fillDisk, freeDisk } from "../harness/small-disk.ts";

const DISK = { nats: "24m" };
const STREAMS = ["SESSIONS", "FOLLOWUPS", "EVENTS"];
/** What a full disk makes the server say. */
const COMPLAINTS = /no space left|JetStream|consumer|filestore/iu;

/** The disk of NATS runs full under load and is freed again; nobody restarts anything. */
export const natsStoreFull: Scenario = {
  name: "nats-store-full",
  summary: "the disk of NATS is full for a while, under load, and is freed again",
  run: async ({ lab: openLab, short, progress, figure, expect, allowComplaints, allowRepeats }) => {
    allowComplaints(COMPLAINTS);
    using disks = new SmallDisks();
    const lab = await openLabOn(disks, openLab);
    const recorder = lab.follow(await lab.alerts.submitMany(4, { turns: 2, paceMs: 300 }));
    await fillDisk(natsDirectory(lab));
    const fullUntil = performance.now() + (short ? 12_000 : 30_000);
    let refused = 0;
    while (performance.now() < fullUntil) {
      await lab.alerts.submit({ turns: 1, paceMs: 100 }).then(
        (id) => recorder.follow(id),
        () => (refused += 1),
      );
      await wait(500);
    }
    progress(`${lab.alerts.acked.size} alerts accepted, ${await lab.unfinished()} sessions open`);
    await freeDisk(natsDirectory(lab));
    const freedAt = performance.now();
    await lab.untilAllTerminal();
    const seconds = (performance.now() - freedAt) / 1_000;
    figure("from free space for NATS to the end of all sessions", seconds, "s");
    allowRepeats(lab.alerts.acked.size);
    expect("every alert is accepted", refused === 0, `${refused} refused`);
    expect("all sessions end within 60 s of free space", seconds <= 60, `${seconds} s`);
    expect("every session completes", (await lab.countByStatus("completed")) === lab.alerts.acked.size);
    expect("the streams take messages again", await takesAll(lab));
  },
};

/** The disk of NATS stays full, whatever is deleted: sessions run without wake-ups. */
export const busRefuses: Scenario = {
  name: "bus-refuses",
  summary: "NATS stores no message, and executors find sessions in Postgres",
  run: async ({ lab: openLab, short, progress, figure, expect, allowComplaints, allowRepeats }) => {
    allowComplaints(COMPLAINTS);
    using disks = new SmallDisks();
    const lab = await openLabOn(disks, openLab);
    const processes = lab.system.running();
    await lab.alerts.submitMany(2, { turns: 1 });
    await lab.untilAllTerminal();
    const free = new AbortController();
    const filling = keepFull(natsDirectory(lab), free.signal);
    const recorder = lab.follow(await lab.alerts.submitMany(short ? 8 : 40, { turns: 2, paceMs: 200 }));
    const told = await until("GET /health tells of it", async () => {
      const { body } = await lab.client.request("GET", "/health");
      return body["status"] === "degraded" && /takes no message/u.test(JSON.stringify(body)) && body;
    });
    const warnings = await lab.client.request("GET", "/api/v1/system/warnings");
    expect(
      "a warning names the stream",
      /the stream \w+ takes no message/u.test(JSON.stringify(warnings.body)),
      JSON.stringify({ told, warnings: warnings.body }),
    );
    const startedAt = performance.now();
    await lab.untilAllTerminal(90_000);
    figure("from the notice to the end of all sessions", (performance.now() - startedAt) / 1_000, "s");
    free.abort();
    await filling;
    await freeDisk(natsDirectory(lab));
    expect("every session completes", (await lab.countByStatus("completed")) === lab.alerts.acked.size);
    const most = mostConcurrent(await claimOrder(lab));
    expect("no more run than may run", most <= 4, `${most}`);
    progress("there is space again");
    expect("the streams take messages again", await takesAll(lab));
    const looked = () => lab.system.output.includes("waiting for wake-ups again");
    await until("executors wait for wake-ups again", looked);
    recorder.follow(await lab.alerts.submit({ turns: 1 }));
    await lab.untilAllTerminal();
    allowRepeats(lab.alerts.acked.size);
    const ended = processes.filter(({ process: { exitCode } }) => exitCode !== null);
    expect("no service exits", ended.length === 0, ended.map(({ name }) => name).join());
  },
};

async function openLabOn(disks: SmallDisks, openLab: ScenarioContext["lab"]): Promise<FaultLab> {
  return openLab({
    executors: 2,
    slots: 4,
    maxRunning: 4,
    prepareDirectory: (directory) => disks.mount(directory, DISK),
  });
}

function natsDirectory(lab: FaultLab): string {
  return join(lab.servers.directory, "nats");
}

/** Takes every byte that becomes free, until `signal` aborts. */
async function keepFull(directory: string, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await fillDisk(directory);
    await wait(50);
  }
}

/** Resolves true once health is whole and each stream stores a message; the test's user may publish and purge. */
async function takesAll(lab: FaultLab): Promise<boolean> {
  return until(
    "GET /health is healthy again",
    async () => {
      const { body } = await lab.client.request("GET", "/health");
      const refused = await lab.refusedStreams();
      return body["status"] === "healthy" && STREAMS.every((stream) => !refused.includes(stream));
    },
    60_000,
  ).then(
    () => true,
    () => false,
  );
}
