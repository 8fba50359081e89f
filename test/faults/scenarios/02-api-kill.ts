import { setTimeout as wait } from "node:timers/promises";
import type { Scenario } from "../harness/scenario.ts";

const CLIENTS = 20;

/** A client that gets no answer sends the alert again with the same idempotency key. */
export const apiKill: Scenario = {
  name: "api-kill",
  summary: "the api is killed at random times while clients retry with their idempotency keys",
  run: async ({ lab: openLab, random, short, signal, progress, figure, expect }) => {
    const kills = short ? 5 : 100;
    const lab = await openLab({ executors: 2, slots: 10 });
    const done = new AbortController();
    const clients = Array.from({ length: CLIENTS }, async () => {
      for (let sent = 0; !done.signal.aborted; sent += 1) {
        await lab.alerts.submitPersistently({ turns: 0, paceMs: 0 }, signal);
        // The api should be the bottleneck, not the executors.
        await wait(short ? 500 : 2_000);
      }
    });
    for (let killed = 1; killed <= kills; killed += 1) {
      await wait(random.between(0, 2_000));
      await lab.system.stop("api", "SIGKILL");
      await lab.startService("api");
      if (killed % 20 === 0) progress(`${killed} of ${kills} kills, ${lab.alerts.acked.size} alerts`);
    }
    done.abort();
    await Promise.all(clients);
    await lab.untilAllTerminal(300_000);
    const completed = await lab.countByStatus("completed");
    const cases = new Set(lab.alerts.acked.values()).size;
    figure("kills", kills, "");
    figure("alerts accepted", cases, "");
    expect(
      "every session completes",
      completed === lab.alerts.acked.size,
      `${completed} of ${lab.alerts.acked.size}`,
    );
    expect(
      "one session for each key",
      (await lab.sessionCount()) === cases,
      `${await lab.sessionCount()} sessions`,
    );
    const wrong = lab.alerts.refusals.filter((status) => status !== 503);
    expect("the api answers 503 or does not answer", wrong.length === 0, wrong.join());
  },
};
