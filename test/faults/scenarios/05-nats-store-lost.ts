import { setTimeout as wait } from "node:timers/promises";
import { until } from "../../support/until.ts";
import type { Scenario } from "../harness/scenario.ts";

/** Streams and durable consumers are lost; the rows in Postgres show which sessions are unfinished. */
export const natsStoreLost: Scenario = {
  name: "nats-store-lost",
  summary: "NATS is killed and restarts with an empty store",
  run: async ({ lab: openLab, short, progress, figure, expect, allowRepeats }) => {
    const { rounds, sessions } = short ? { rounds: 1, sessions: 12 } : { rounds: 5, sessions: 40 };
    const lab = await openLab({ executors: 2, slots: 4 });
    const times: number[] = [];
    for (let round = 1; round <= rounds; round += 1) {
      lab.follow(await lab.alerts.submitMany(sessions, { turns: 2, paceMs: 500 }));
      await until("sessions run", async () => (await lab.claims()).length > (round - 1) * sessions + 4);
      await lab.servers.killNats();
      await lab.servers.loseNatsStore();
      await wait(1_000);
      await lab.servers.restartNats();
      const backAt = performance.now();
      await lab.untilAllTerminal(120_000);
      times.push((performance.now() - backAt) / 1_000);
      progress(`round ${round} of ${rounds}: all ended after ${times.at(-1)?.toFixed(0)} s`);
    }
    allowRepeats(rounds * 8);
    figure("from the empty NATS to the end of all sessions, longest", Math.max(...times), "s");
    const completed = await lab.countByStatus("completed");
    expect(
      "every session completes",
      completed === lab.alerts.acked.size,
      `${completed} of ${lab.alerts.acked.size}`,
    );
    expect(
      "all sessions end within 120 s",
      times.every((seconds) => seconds <= 120),
    );
  },
};
