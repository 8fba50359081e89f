import { setTimeout as wait } from "node:timers/promises";
import { until } from "../../support/until.ts";
import type { Scenario } from "../harness/scenario.ts";

/** No gateway answers for minutes: running investigations wait, further alerts stay in the queue. */
export const gatewayAway: Scenario = {
  name: "gateway-away",
  summary: "all gateways are away for 10 min while investigations run and alerts arrive",
  run: async ({ lab: openLab, short, figure, expect, allowRepeats, progress }) => {
    const [running, downMs] = short ? [4, 25_000] : [10, 600_000];
    const lab = await openLab({ executors: 2, slots: 5 });
    const recorder = lab.follow(await lab.alerts.submitMany(running, { turns: 4, paceMs: 2_000 }));
    await until("all run", () => lab.model.calls.length >= running);
    // Each call that was running when the gateway died is made again.
    allowRepeats(running);
    await lab.system.stop("llm-gateway", "SIGKILL");
    const goneAt = Date.now();
    const during = await lab.alerts.submitMany(running);
    await until(
      "every running investigation has waited",
      async () => (await lab.countWaiting("gateway")) === running,
      120_000,
    );
    figure("from the kill until the last running investigation waits", (Date.now() - goneAt) / 1_000, "s");
    while (Date.now() - goneAt < downMs) {
      await wait(1_000);
      if ((Date.now() - goneAt) % 60_000 < 1_000) {
        progress(`${await lab.countByStatus("pending")} alerts in the queue`);
      }
    }
    const calls = lab.model.calls.length;
    expect("no new session has started", (await lab.countByStatus("pending")) === during.length);
    await lab.startService("llm-gateway");
    const backAt = Date.now();
    await until("the model is called again", () => lab.model.calls.length > calls, 120_000);
    figure("from the return of the gateway to the next call", (Date.now() - backAt) / 1_000, "s");
    for (const id of during) recorder.follow(id);
    await lab.untilAllTerminal(300_000);
    const completed = await lab.countByStatus("completed");
    expect("every session completes", completed === 2 * running, `${completed} of ${2 * running}`);
  },
};
