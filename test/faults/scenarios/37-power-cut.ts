import { cp, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { until } from "../../support/until.ts";
import type { FaultLab } from "../harness/fault-lab.ts";
import type { Scenario } from "../harness/scenario.ts";

const SLOTS = 4;
const SERVICES = ["api", "tool-runner", "llm-gateway", "notifier"] as const;

/** Everything stops at once, and the store of NATS comes back as it was some seconds before: it is not flushed. */
export const powerCut: Scenario = {
  name: "power-cut",
  summary: "all services, NATS and Postgres are killed at once, and NATS restarts with an older store",
  run: async ({ lab: openLab, random, short, progress, figure, expect, allowRepeats }) => {
    const { rounds, sessions } = short ? { rounds: 1, sessions: 12 } : { rounds: 5, sessions: 30 };
    const lab = await openLab({ executors: 2, slots: SLOTS });
    const goneOn: number[] = [];
    for (let round = 1; round <= rounds; round += 1) {
      const claimed = (await lab.claims()).length;
      lab.follow(await lab.alerts.submitMany(sessions, { turns: 4, paceMs: 600 }));
      await until("sessions run", async () => (await lab.claims()).length > claimed + SLOTS);
      const store = join(lab.servers.directory, "nats", "store");
      const older = `${store}-older`;
      await copyLiveStore(store, older);
      await wait(random.between(1_000, 5_000));
      await killAll(lab);
      await rm(store, { recursive: true, force: true });
      await cp(older, store, { recursive: true, preserveTimestamps: true });
      await Promise.all([lab.servers.restartPostgres(), lab.servers.restartNats()]);
      await Promise.all([
        ...SERVICES.map(async (name) => lab.startService(name)),
        ...lab.executors.map(async (slot) => slot.start()),
      ]);
      const readyAt = performance.now();
      await lab.untilAllTerminal(300_000);
      goneOn.push((performance.now() - readyAt) / 1_000);
      progress(`round ${round} of ${rounds}: all ended ${goneOn.at(-1)?.toFixed(0)} s after all are ready`);
    }
    // A call in progress is repeated by the next owner; the runner's death makes a read-only call run again.
    allowRepeats(rounds * 2 * SLOTS);
    const completed = await lab.countByStatus("completed");
    const total = lab.alerts.acked.size;
    figure("sessions", total, "");
    figure("from all services ready to the end of all sessions, longest", Math.max(...goneOn), "s");
    expect("every session completes", completed === total, `${completed} of ${total}`);
  },
};

/** Copies the store while NATS writes to it, as a snapshot of a disk would; a file may vanish meanwhile. */
async function copyLiveStore(from: string, to: string): Promise<void> {
  await until("the store is copied", async () => {
    await rm(to, { recursive: true, force: true });
    await cp(from, to, { recursive: true, preserveTimestamps: true });
    return true;
  });
}

async function killAll(lab: FaultLab): Promise<void> {
  await Promise.all([
    ...lab.executors.map(async (slot) => slot.kill()),
    ...SERVICES.map(async (name) => lab.system.stop(name, "SIGKILL")),
    lab.servers.killNats(),
    lab.servers.crashPostgres(),
  ]);
}
