import { setTimeout as wait } from "node:timers/promises";
import { until } from "../../support/until.ts";
import type { Scenario } from "../harness/scenario.ts";

/** The lease is in Postgres: an executor that NATS has lost keeps its sessions and goes on with them. */
export const natsPartition: Scenario = {
  name: "nats-partition",
  summary: "an executor is cut off from NATS (silently) and goes on with its sessions",
  inShortRun: false,
  run: async ({ lab: openLab, short, figure, expect }) => {
    const partitionMs = short ? 35_000 : 120_000;
    const lab = await openLab({ executors: 2, slots: 4 });
    const ids = await lab.alerts.submitMany(4, { type: "thinking", paceMs: partitionMs / 6 });
    lab.follow(ids);
    await until("all run", async () => (await lab.claims()).length >= ids.length);
    const [cutOff] = lab.executors;
    if (cutOff === undefined) throw new Error("an executor is needed");
    const held = (await lab.claims())
      .filter(({ pod }) => pod === cutOff.pod)
      .map(({ session_id }) => session_id);
    const steps = async () => {
      const views = await Promise.all(held.map((id) => lab.client.session(id)));
      return views.reduce((sum, { timeline }) => sum + timeline.length, 0);
    };
    cutOff.nats.blackhole(true);
    const before = await steps();
    await wait(partitionMs);
    const after = await steps();
    cutOff.nats.blackhole(false);
    const waiting = await lab.alerts.submitMany(2, { turns: 1 });
    await lab.untilAllTerminal();
    const owners = (await lab.claims()).filter(({ session_id }) => held.includes(session_id)).length;
    figure("sessions of the executor that was cut off", held.length, "");
    figure("timeline rows written meanwhile", after - before, "");
    expect("the executor that is cut off has sessions", held.length > 0);
    expect("their steps go on", after > before, `${before} rows before, ${after} after`);
    expect(
      "each has one owner throughout",
      owners === held.length,
      `${owners} owners of ${held.length} sessions`,
    );
    const completed = await lab.countByStatus("completed");
    expect("every session completes", completed === ids.length + waiting.length);
  },
};
