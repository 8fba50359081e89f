import { setTimeout as wait } from "node:timers/promises";
import { repeatedModelCalls } from "../harness/check-model-calls.ts";
import type { Scenario } from "../harness/scenario.ts";
import { ATTEMPTS, parseCount } from "../harness/database-recorder.ts";

/** A deployment: one executor after another is stopped and replaced. */
export const rollingDrain: Scenario = {
  name: "rolling-drain",
  summary: "every executor in turn is stopped (SIGTERM) and replaced, under load",
  run: async ({ lab: openLab, short, progress, figure, expect }) => {
    const { rounds, pauseMs, sessions } = short
      ? { rounds: 1, pauseMs: 1_500, sessions: 8 }
      : { rounds: 20, pauseMs: 20_000, sessions: 24 };
    const lab = await openLab({ executors: 2, slots: 5 });
    const stops: number[] = [];
    const codes: (number | null)[] = [];
    for (let round = 1; round <= rounds; round += 1) {
      for (const slot of lab.executors) {
        if ((await lab.unfinished()) === 0) {
          lab.follow(await lab.alerts.submitMany(sessions, { turns: 4, paceMs: 600 }));
        }
        await wait(pauseMs / lab.executors.length);
        const startedAt = performance.now();
        codes.push(await slot.stop());
        stops.push((performance.now() - startedAt) / 1_000);
        await slot.start();
      }
      if (round % 5 === 0) progress(`${round} of ${rounds} rounds`);
    }
    await lab.untilAllTerminal();
    const [row] = await lab.servers.query(ATTEMPTS, []);
    const attempts = parseCount(row).count;
    figure("stops", stops.length, "");
    figure("longest stop", Math.max(...stops), "s");
    figure("changes of owner", (await lab.claims()).length - lab.alerts.acked.size, "");
    figure("repeated LLM calls", repeatedModelCalls(lab.model.calls), `of ${lab.model.calls.length}`);
    figure("attempts counted", attempts, "");
    expect("every session completes", (await lab.countByStatus("completed")) === lab.alerts.acked.size);
    expect(
      "every executor exits with code 0",
      codes.every((code) => code === 0),
      codes.join(),
    );
    expect(
      "every executor exits within 30 s",
      stops.every((seconds) => seconds <= 30),
      stops.join(),
    );
    expect("no attempt is counted", attempts === 0, `${attempts} attempts`);
    // Every answer takes less than the grace period of 10 s, so none is interrupted.
    expect("no LLM call is repeated", repeatedModelCalls(lab.model.calls) === 0);
  },
};
