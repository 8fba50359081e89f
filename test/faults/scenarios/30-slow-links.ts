import { setTimeout as wait } from "node:timers/promises";
import type { Scenario } from "../harness/scenario.ts";

/** Every statement and message is delayed, and connections break in between. */
export const slowLinks: Scenario = {
  name: "slow-links",
  summary: "links to Postgres and NATS are slow and are cut repeatedly",
  run: async ({ lab: openLab, random, short, progress, figure, expect, allowRepeats, allowComplaints }) => {
    allowComplaints(/Slow Consumer/iu);
    const { cuts, sessions, longestDelayMs } = short
      ? { cuts: 4, sessions: 4, longestDelayMs: 20 }
      : { cuts: 100, sessions: 20, longestDelayMs: 80 };
    const lab = await openLab({ executors: 2, slots: 10 });
    const links = [
      ...lab.executors.flatMap(({ postgres, nats }) => [postgres, nats]),
      lab.api.postgres,
      lab.api.nats,
    ];
    for (const link of links) link.setDelay(random.between(1, longestDelayMs));
    for (let cut = 1; cut <= cuts; cut += 1) {
      if ((await lab.unfinished()) === 0) {
        const ids = await Promise.all(
          Array.from({ length: sessions }, () => lab.alerts.submitPersistently({ turns: 2, paceMs: 200 })),
        );
        lab.follow(ids);
      }
      await wait(random.between(0, 1_500));
      random.pick(links).cut();
      if (cut % 20 === 0) progress(`${cut} of ${cuts} cuts`);
    }
    allowRepeats(cuts * sessions);
    await lab.untilAllTerminal();
    const completed = await lab.countByStatus("completed");
    figure("links cut", cuts, "times");
    figure("sessions completed", completed, `of ${lab.alerts.acked.size}`);
    expect(
      "every session completes",
      completed === lab.alerts.acked.size,
      `${completed} of ${lab.alerts.acked.size}`,
    );
  },
};
