import { setTimeout as wait } from "node:timers/promises";
import { join } from "node:path";
import { connectClient } from "#shared/database/connection/connect-client.ts";
import { STREAMS_LOCK } from "../../../services/api/sweeper/sweep-sessions.ts";
import { until } from "../../support/until.ts";
import type { FaultLab } from "../harness/fault-lab.ts";
import { claimOrder, mostConcurrent } from "./29-backlog.ts";
import type { Scenario, ScenarioContext } from "../harness/scenario.ts";
import { SmallDisks, fillDisk, freeDisk } from "../../support/small-disks.ts";

/** What may run on all executors together. */
const CAP = 4;
const DISK = { nats: "24m" };
const STREAMS = ["SESSIONS", "FOLLOWUPS", "EVENTS"];
/** What a full disk makes the server say. */
const COMPLAINTS = /no space left|JetStream|consumer|filestore/iu;

/** The disk of NATS runs full under load and is freed again, without a restart. */
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

/** The streams cannot be made anew either: sessions run without wake-ups. */
export const busRefuses: Scenario = {
  name: "bus-refuses",
  summary: "NATS stores no message and no stream can be made anew: executors find sessions in Postgres",
  run: async ({ lab: openLab, short, progress, figure, expect, allowComplaints, allowRepeats }) => {
    allowComplaints(COMPLAINTS);
    using disks = new SmallDisks();
    const lab = await openLabOn(disks, openLab);
    const processes = lab.system.running();
    await lab.alerts.submitMany(2, { turns: 1 });
    await lab.untilAllTerminal();
    // As another api that makes them anew, and does not get it done.
    const keeper = await connectClient(lab.servers.postgres.url);
    await keeper.query("SELECT pg_advisory_lock($1)", [STREAMS_LOCK]);
    await fillDisk(natsDirectory(lab));
    const warning = /the stream SESSIONS takes no message/u;
    await until("GET /health tells of it", async () => {
      // A page of the stream's file still takes some wake-ups.
      await lab.alerts.submit({ turns: 1 });
      await wait(300);
      const { body } = await lab.client.request("GET", "/health");
      return body["status"] === "degraded" && warning.test(JSON.stringify(body["checks"]));
    });
    const { body } = await lab.client.request("GET", "/api/v1/system/warnings");
    expect("a warning names the stream", warning.test(JSON.stringify(body)), JSON.stringify(body));
    const noticedAt = performance.now();
    const recorder = lab.follow(await lab.alerts.submitMany(short ? 6 : 40, { turns: 2, paceMs: 200 }));
    await lab.untilAllTerminal(90_000);
    figure("from the notice to the end of all sessions", (performance.now() - noticedAt) / 1_000, "s");
    const refused = await lab.refusedStreams();
    expect("the stream still takes no message", refused.includes("SESSIONS"), refused.join());
    const completed = await lab.countByStatus("completed");
    expect("every session completes", completed === lab.alerts.acked.size, `${completed}`);
    const most = mostConcurrent(await claimOrder(lab));
    expect("no more run than may run", most <= CAP, `${most}`);
    await freeDisk(natsDirectory(lab));
    await keeper.end();
    progress("there is space, and the streams can be made anew");
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
    slots: CAP,
    maxRunning: CAP,
    prepareDirectory: (directory) => disks.mount(directory, DISK),
  });
}

function natsDirectory(lab: FaultLab): string {
  return join(lab.servers.directory, "nats");
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
