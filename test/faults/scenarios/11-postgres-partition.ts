import { until } from "../../support/until.ts";
import { setTimeout as wait } from "node:timers/promises";
import type { Scenario } from "../harness/scenario.ts";

/** Without Postgres an executor cannot know whether it still owns its sessions: it must stop working on them in time. */
export const postgresPartition: Scenario = {
  name: "postgres-partition",
  summary: "an executor is partitioned from Postgres, fences itself, and another takes over",
  run: async ({ lab: openLab, short, figure, expect }) => {
    const { sessions, partitionMs } = short
      ? { sessions: 4, partitionMs: 40_000 }
      : { sessions: 10, partitionMs: 60_000 };
    const lab = await openLab({ executors: 2, slots: 10 });
    const [partitioned, other] = lab.executors;
    if (partitioned === undefined || other === undefined) throw new Error("two executors are needed");
    await other.stop();
    // No answer ends during the partition, so only the fence can end the calls.
    const ids = await lab.alerts.submitMany(sessions, { words: "HANG" });
    lab.follow(ids);
    await until(
      "every session has an LLM call",
      () => new Set(lab.model.calls.map(({ caseId }) => caseId)).size === sessions,
    );
    await until("the other executor is ready", () => other.start().then(() => true));
    const own = lab.model.calls.slice();
    partitioned.postgres.blackhole(true);
    const startedAt = Date.now();
    await wait(partitionMs);
    partitioned.postgres.blackhole(false);
    const fenced = own.map(({ brokenOffAt = Number.POSITIVE_INFINITY }) => (brokenOffAt - startedAt) / 1_000);
    const taken = (await lab.claims())
      .filter(({ epoch }) => epoch > 1)
      .map(({ at }) => (at - startedAt) / 1_000);
    figure("from the start of the partition to the end of its last LLM call", Math.max(...fenced), "s");
    figure("from the start of the partition to the last takeover", Math.max(...taken), "s");
    expect(
      "it ends its calls within 25 s",
      fenced.every((seconds) => seconds <= 25),
      fenced.join(),
    );
    expect(
      "its calls end before another executor takes over",
      Math.max(...fenced) <= Math.min(...taken),
      `${Math.max(...fenced)} s`,
    );
    expect("every session is taken over", taken.length >= sessions, `${taken.length} of ${sessions}`);
    expect(
      "each within 45 s",
      taken.every((seconds) => seconds <= 45),
      taken.join(),
    );
    for (const id of ids) await lab.client.request("POST", `/api/v1/sessions/${id}/cancel`);
    await lab.untilAllTerminal();
    expect("all end as cancelled", (await lab.countByStatus("cancelled")) === sessions);
    expect(
      "no executor exits",
      lab.executors.every(({ isRunning }) => isRunning),
    );
  },
};
