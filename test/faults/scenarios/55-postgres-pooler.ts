import { setTimeout as wait } from "node:timers/promises";
import { findPgBouncer } from "../../support/pgbouncer.ts";
import { until } from "../../support/until.ts";
import type { Scenario } from "../harness/scenario.ts";

/** Each transaction gets any of few server sessions: nothing that a service needs may be in its session. */
const SETTINGS = {
  pool_mode: "transaction",
  default_pool_size: "4",
  max_client_conn: "500",
  // The lab names its processes in it. The pooler drops it, so the rows do not name the process that wrote them.
  ignore_startup_parameters: "options",
  server_login_retry: "1",
};

/** Executors are killed and Postgres crashes behind the pooler, whose clients stay connected. */
export const postgresPooler: Scenario = {
  name: "postgres-pooler",
  summary: "a pooler in transaction mode is between the services and Postgres, under kills and crashes",
  run: async ({ lab: openLab, random, short, signal, progress, figure, expect, allowRepeats }) => {
    const program = findPgBouncer();
    if (program === undefined) return progress("not run: PgBouncer is not installed");
    const rounds = short ? 2 : 10;
    const pooler = { program, settings: SETTINGS };
    const lab = await openLab({ executors: 2, slots: 5, postgresMoves: true, pooler });
    const recorder = lab.follow(await lab.alerts.submitMany(3, { turns: 4, paceMs: 500 }));
    const done = new AbortController();
    const client = async () => {
      while (!done.signal.aborted) {
        const id = await lab.alerts.submitPersistently({ turns: 3, paceMs: 300 }, signal);
        if (recorder.received.size < 45) recorder.follow(id);
        await wait(700);
      }
    };
    const clients = [client(), client()];
    for (let round = 1; round <= rounds; round += 1) {
      const [killed] = lab.executors;
      if (killed === undefined) throw new Error("an executor is needed");
      await wait(random.between(1_000, 3_000));
      await killed.kill();
      await killed.start();
      await wait(random.between(1_000, 3_000));
      await lab.servers.crashPostgres();
      await wait(random.between(0, 500));
      await lab.servers.restartPostgres();
      const accepted = lab.alerts.acked.size;
      await until("an alert is accepted", () => lab.alerts.acked.size > accepted);
      progress(`round ${round} of ${rounds}: ${lab.alerts.acked.size} alerts accepted`);
    }
    done.abort();
    await Promise.all(clients);
    await lab.untilAllTerminal();
    allowRepeats(rounds * 20);
    const wrong = lab.alerts.refusals.filter((status) => status !== 503);
    const completed = await lab.countByStatus("completed");
    const total = lab.alerts.acked.size;
    figure("alerts accepted", total, "");
    figure("alerts answered with 503", lab.alerts.refusals.length - wrong.length, "");
    expect("every session completes", completed === total, `${completed} of ${total}`);
    expect("the api answers 503, never 500", wrong.length === 0, wrong.join());
  },
};
