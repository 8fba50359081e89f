import { until } from "../../support/until.ts";
import { setTimeout as wait } from "node:timers/promises";
import type { Scenario } from "../harness/scenario.ts";

/** Cut off from the truth, an executor cannot know whether its sessions are still its own: it must let go in time. */
export const postgresPartition: Scenario = {
  name: "postgres-partition",
  summary: "an executor is cut off from Postgres (silently): it stops by itself, another takes over",
  inShortRun: false,
  run: async ({ lab: openLab, short, figure, expect }) => {
    const { sessions, partitionMs } = short
      ? { sessions: 4, partitionMs: 40_000 }
      : { sessions: 10, partitionMs: 60_000 };
    const lab = await openLab({ executors: 2, slots: 10 });
    const [cutOff, other] = lab.executors;
    if (cutOff === undefined || other === undefined) throw new Error("two executors are needed");
    await other.stop();
    // Each answer outlives the partition, so that only the fence can end it.
    const ids = await lab.alerts.submitMany(sessions, { words: "HANG" });
    lab.follow(ids);
    await until(
      "every session's model is asked",
      () => new Set(lab.model.calls.map(({ caseId }) => caseId)).size === sessions,
    );
    await until("the other is back", () => other.start().then(() => true));
    const own = lab.model.calls.slice();
    cutOff.postgres.blackhole(true);
    const startedAt = Date.now();
    await wait(partitionMs);
    cutOff.postgres.blackhole(false);
    const fenced = own.map(({ brokenOffAt = Number.POSITIVE_INFINITY }) => (brokenOffAt - startedAt) / 1_000);
    const taken = (await lab.claims())
      .filter(({ epoch }) => epoch > 1)
      .map(({ at }) => (at - startedAt) / 1_000);
    figure("from the partition to the end of its last call", Math.max(...fenced), "s");
    figure("from the partition to the last takeover", Math.max(...taken), "s");
    expect(
      "it ends its calls within 25 s",
      fenced.every((seconds) => seconds <= 25),
      fenced.join(),
    );
    expect(
      "its calls end before anyone takes over",
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
      "no executor ended",
      lab.executors.every(({ isRunning }) => isRunning),
    );
  },
};
