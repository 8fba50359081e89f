import { setTimeout as wait } from "node:timers/promises";
import { RefusedError } from "../harness/alert-sender.ts";
import type { FaultLab } from "../harness/fault-lab.ts";
import type { Scenario } from "../harness/scenario.ts";

/** Postgres crashes and recovers repeatedly while alerts arrive, investigations run and clients watch. */
export const postgresCrash: Scenario = {
  name: "postgres-crash",
  summary: "Postgres crashes (immediate shutdown) and restarts every 5 to 20 s, under load",
  run: async ({ lab: openLab, random, short, signal, progress, figure, expect, allowRepeats }) => {
    const { minutes, shortestMs, longestMs } = short
      ? { minutes: 0.1, shortestMs: 2_000, longestMs: 4_000 }
      : { minutes: 10, shortestMs: 5_000, longestMs: 20_000 };
    const lab = await openLab({ executors: 2, slots: 5 });
    const recorder = lab.follow(await lab.alerts.submitMany(3, { turns: 4, paceMs: 500 }));
    const processes = lab.system.running();
    const done = new AbortController();
    const client = async () => {
      while (!done.signal.aborted) {
        const id = await lab.alerts.submitPersistently({ turns: 2, paceMs: 300 }, signal);
        recorder.follow(id);
        await wait(1_000);
      }
    };
    const clients = [client(), client()];
    const endAt = performance.now() + minutes * 60_000;
    const whileDown: number[] = [];
    let crashes = 0;
    while (performance.now() < endAt) {
      await wait(random.between(shortestMs, longestMs));
      await lab.servers.crashPostgres();
      whileDown.push(await statusOf(lab));
      await wait(random.between(0, 500));
      await lab.servers.restartPostgres();
      crashes += 1;
      if (crashes % 10 === 0) progress(`${crashes} crashes, ${lab.alerts.acked.size} alerts accepted`);
    }
    done.abort();
    await Promise.all(clients);
    await lab.untilAllTerminal();
    // A crash breaks connections to Postgres only, so LLM calls in progress finish and may be repeated.
    allowRepeats(crashes * 10);
    const completed = await lab.countByStatus("completed");
    const wrong = lab.alerts.refusals.filter((status) => status !== 503);
    figure("crashes", crashes, "");
    figure("alerts accepted", lab.alerts.acked.size, "");
    figure("alerts answered with 503", lab.alerts.refusals.length - wrong.length, "");
    expect(
      "every session completes",
      completed === lab.alerts.acked.size,
      `${completed} of ${lab.alerts.acked.size}`,
    );
    expect(
      "an alert is refused with 503 while Postgres is down",
      whileDown.every((status) => status === 503),
      whileDown.join(),
    );
    expect("the api answers 503, never 500", wrong.length === 0, wrong.join());
    const ended = processes.filter(
      ({ process: { exitCode, signalCode } }) => exitCode !== null || signalCode !== null,
    );
    expect("no service exits", ended.length === 0, ended.map(({ name }) => name).join());
  },
};

async function statusOf(lab: FaultLab): Promise<number> {
  return lab.alerts.submit({ turns: 0 }).then(
    () => 202,
    (error: unknown) => (error instanceof RefusedError ? error.status : 0),
  );
}
