import { setTimeout as wait } from "node:timers/promises";
import { StandbyPostgres } from "../../support/standby-postgres.ts";
import { until } from "../../support/until.ts";
import { NIGHTLY } from "../../support/nightly.ts";
import type { Scenario } from "../harness/scenario.ts";

/** Longer than a service waits for a statement, and than executors go on without a renewal of their leases. */
const LONG_STALL_MS = 25_000;

/**
 * A COMMIT waits for the standby, so the failover loses nothing, also if the standby was cut off before: then no COMMIT was answered. The
 * former primary never comes back.
 */
export const postgresFailover: Scenario = {
  name: "postgres-failover",
  summary: "the primary of Postgres is killed and its synchronous standby takes its place, under load",
  run: async ({ lab: openLab, random, short, signal, progress, figure, expect, allowRepeats }) => {
    const failovers = short && !NIGHTLY ? 2 : 20;
    const lab = await openLab({ executors: 2, slots: 5, postgresMoves: true });
    const recorder = lab.follow(await lab.alerts.submitMany(3, { turns: 4, paceMs: 500 }));
    const processes = lab.system.running();
    const done = new AbortController();
    const client = async () => {
      while (!done.signal.aborted) {
        const id = await lab.alerts.submitPersistently({ turns: 3, paceMs: 300 }, signal);
        if (recorder.received.size < 45) recorder.follow(id);
        await wait(700);
      }
    };
    const clients = [client(), client()];
    const backAfter: number[] = [];
    for (let failover = 1; failover <= failovers; failover += 1) {
      const standby = await StandbyPostgres.follow(lab.servers, { isSynchronous: true });
      await wait(random.between(500, 2_500));
      const isLong = failover % 5 === 0;
      if (isLong || random.next() < 0.5) {
        standby.holdBack(true);
        await wait(isLong ? LONG_STALL_MS : random.between(0, 3_000));
        // Every service has given up its statements; what they have left in the server goes on now.
        if (isLong) standby.holdBack(false);
        if (isLong) await wait(2_000);
      }
      const killedAt = performance.now();
      await standby.takeOver({ isEarly: random.next() < 0.5 });
      const accepted = lab.alerts.acked.size;
      await until("an alert is accepted", () => lab.alerts.acked.size > accepted);
      backAfter.push((performance.now() - killedAt) / 1_000);
      if (failover % 5 === 0) progress(`${failover} failovers, ${lab.alerts.acked.size} alerts accepted`);
    }
    done.abort();
    await Promise.all(clients);
    await lab.untilAllTerminal();
    // An answer that cannot be recorded while no server can be reached is asked for again.
    allowRepeats(failovers * 10);
    const completed = await lab.countByStatus("completed");
    const wrong = lab.alerts.refusals.filter((status) => status !== 503);
    figure("failovers", failovers, "");
    figure("alerts accepted", lab.alerts.acked.size, "");
    figure("alerts answered with 503", lab.alerts.refusals.length - wrong.length, "");
    figure("from the kill to the next accepted alert, longest", Math.max(...backAfter), "s");
    const total = lab.alerts.acked.size;
    expect("every session completes", completed === total, `${completed} of ${total}`);
    expect("the api answers 503, never 500", wrong.length === 0, wrong.join());
    const ended = processes.filter(
      ({ process: { exitCode, signalCode } }) => exitCode !== null || signalCode !== null,
    );
    expect("no service exits", ended.length === 0, ended.map(({ name }) => name).join());
  },
};
