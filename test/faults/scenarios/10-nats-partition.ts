import { setTimeout as wait } from "node:timers/promises";
import { until } from "../../support/until.ts";
import type { Scenario } from "../harness/scenario.ts";

/** The lease is in Postgres: an executor without NATS keeps its sessions and continues them. */
export const natsPartition: Scenario = {
  name: "nats-partition",
  summary: "an executor is partitioned from NATS and continues its sessions",
  run: async ({ lab: openLab, short, figure, expect }) => {
    const partitionMs = short ? 35_000 : 120_000;
    const lab = await openLab({ executors: 2, slots: 4 });
    const ids = await lab.alerts.submitMany(4, { type: "thinking", paceMs: partitionMs / 6 });
    lab.follow(ids);
    await until("all run", async () => (await lab.claims()).length >= ids.length);
    const [partitioned] = lab.executors;
    if (partitioned === undefined) throw new Error("an executor is needed");
    const owned = (await lab.claims())
      .filter(({ pod }) => pod === partitioned.pod)
      .map(({ session_id }) => session_id);
    const steps = async () => {
      const views = await Promise.all(owned.map((id) => lab.client.session(id)));
      return views.reduce((sum, { timeline }) => sum + timeline.length, 0);
    };
    partitioned.nats.blackhole(true);
    const before = await steps();
    await wait(partitionMs);
    const after = await steps();
    partitioned.nats.blackhole(false);
    const waiting = await lab.alerts.submitMany(2, { turns: 1 });
    await lab.untilAllTerminal();
    const owners = (await lab.claims()).filter(({ session_id }) => owned.includes(session_id)).length;
    figure("sessions of the partitioned executor", owned.length, "");
    figure("timeline rows written during the partition", after - before, "");
    expect("the partitioned executor has sessions", owned.length > 0);
    expect("their steps continue", after > before, `${before} rows before, ${after} after`);
    expect(
      "each has one owner throughout",
      owners === owned.length,
      `${owners} owners of ${owned.length} sessions`,
    );
    const completed = await lab.countByStatus("completed");
    expect("every session completes", completed === ids.length + waiting.length);
  },
};
