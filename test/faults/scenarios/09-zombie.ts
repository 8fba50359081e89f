import { setTimeout as wait } from "node:timers/promises";
import { until } from "../../support/until.ts";
import type { Scenario } from "../harness/scenario.ts";

/** A process that is stopped in mid-step believes, when it goes on, that its sessions are still its own. */
export const zombie: Scenario = {
  name: "zombie",
  summary: "an executor is stopped (SIGSTOP) in mid-step until others have taken over, and goes on",
  inShortRun: true,
  run: async ({ lab: openLab, short, say, figure, expect }) => {
    const { sessions, rounds, frozenMs } = short
      ? { sessions: 4, rounds: 1, frozenMs: 0 }
      : { sessions: 10, rounds: 5, frozenMs: 60_000 };
    const lab = await openLab({ executors: 2, slots: 10 });
    for (let round = 1; round <= rounds; round += 1) {
      const [frozen, other] = round % 2 === 1 ? lab.executors : lab.executors.toReversed();
      if (frozen === undefined || other === undefined) throw new Error("two executors are needed");
      // All sessions to the one that will be stopped; the other joins while they run.
      await other.stop();
      const ids = await lab.alerts.submitMany(sessions, { turns: 4, paceMs: 800 });
      lab.follow(ids);
      await until("all are claimed", async () => {
        const claimed = new Set((await lab.claims()).map(({ session_id }) => session_id));
        return ids.every((id) => claimed.has(id));
      });
      await other.start();
      await wait(700);
      frozen.freeze();
      const stoppedAt = Date.now();
      const before = await lab.claims();
      await until(
        "the other executor has taken everything over",
        async () => {
          const held = (await lab.claims()).slice(before.length).map(({ session_id }) => session_id);
          const taken = new Set(held);
          return ids.every((id) => taken.has(id));
        },
        90_000,
      );
      figure(`round ${round}: everything taken over after`, (Date.now() - stoppedAt) / 1_000, "s");
      await wait(Math.max(0, frozenMs - (Date.now() - stoppedAt)));
      frozen.thaw();
      say(`round ${round} of ${rounds}: it goes on after ${((Date.now() - stoppedAt) / 1_000).toFixed(0)} s`);
      await lab.untilAllTerminal();
    }
    expect("every session completes", (await lab.countByStatus("completed")) === lab.alerts.acked.size);
    expect(
      "no executor ended",
      lab.executors.every(({ isRunning }) => isRunning),
    );
  },
};
