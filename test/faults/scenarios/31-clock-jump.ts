import { pathToFileURL } from "node:url";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { Scenario } from "../harness/scenario.ts";

const PRELOAD = pathToFileURL(join(import.meta.dirname, "../harness/jump-clock.mjs")).href;

/** Leases use the clock of the database and the fence a monotonic clock, so a wrong wall clock has no effect. */
export const clockJump: Scenario = {
  name: "clock-jump",
  summary: "the wall clock of one executor jumps an hour ahead and back while it runs",
  run: async ({ lab: openLab, short, figure, expect }) => {
    const { jumps, sessions } = short ? { jumps: 2, sessions: 4 } : { jumps: 10, sessions: 20 };
    const lab = await openLab({
      executors: 2,
      slots: 10,
      executorEnv: { NODE_OPTIONS: `--import ${PRELOAD}` },
    });
    lab.follow(await lab.alerts.submitMany(sessions, { turns: 4, paceMs: 700 }));
    const [first] = lab.executors;
    for (let jump = 0; jump < jumps; jump += 1) {
      await wait(800);
      first?.service.process.kill("SIGUSR2");
    }
    await lab.untilAllTerminal();
    const owners = (await lab.claims()).length;
    figure("jumps", jumps, "");
    expect("every session completes", (await lab.countByStatus("completed")) === sessions);
    expect("no session changes its owner", owners === sessions, `${owners} owners of ${sessions} sessions`);
  },
};
