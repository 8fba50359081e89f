import { randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { until } from "../../support/until.ts";
import type { FaultLab } from "../harness/fault-lab.ts";
import type { Scenario } from "../harness/scenario.ts";

const HISTORY = 10_000;

/** Clients reconnect with their last seq and must receive every event exactly once. */
export const notifierKill: Scenario = {
  name: "notifier-kill",
  summary:
    "the notifier is killed every few seconds while clients watch; then a client catches up a long history",
  run: async ({ lab: openLab, random, short, progress, figure, expect }) => {
    const { kills, clients, everyMs } = short
      ? { kills: 3, clients: 4, everyMs: 1_000 }
      : { kills: 40, clients: 20, everyMs: 5_000 };
    const lab = await openLab({ executors: 2, slots: 5 });
    const sessions = await lab.alerts.submitMany(5, { turns: 4, paceMs: 400 });
    const recorders = Array.from({ length: clients }, () => lab.follow(sessions));
    for (let killed = 1; killed <= kills; killed += 1) {
      await wait(everyMs * random.between(0.5, 1));
      await lab.system.stop("notifier", "SIGKILL");
      await lab.startService("notifier");
      if ((await lab.unfinished()) < 5) {
        for (const id of await lab.alerts.submitMany(2, { turns: 4, paceMs: 400 })) {
          for (const recorder of recorders.slice(0, 5)) if (recorder.received.size < 45) recorder.follow(id);
        }
      }
      if (killed % 10 === 0) progress(`${killed} of ${kills} kills`);
    }
    await lab.untilAllTerminal();
    await Promise.all(recorders.map((recorder) => recorder.untilEnded()));
    const connections = recorders.reduce((sum, recorder) => sum + recorder.connections, 0);
    figure("kills", kills, "");
    figure("connections", connections, `of ${clients} clients`);
    figure("events received", recorders.flatMap(({ received }) => [...received.values()]).flat().length, "");
    expect("every client reconnects after each kill", connections > clients, `${connections}`);

    const long = await insertHistory(lab);
    const startedAt = performance.now();
    const late = lab.follow([long]);
    await until(
      "the whole history is received",
      () => (late.received.get(long)?.length ?? 0) >= HISTORY,
      60_000,
    );
    figure(`history of ${HISTORY} events caught up in`, (performance.now() - startedAt) / 1_000, "s");
  },
};

/** Inserts a completed session with a long history of events. */
async function insertHistory(lab: FaultLab): Promise<string> {
  const id = randomUUID();
  await lab.servers.query(
    `INSERT INTO alert_sessions (session_id, alert_data, agent_type, chain_id, config_hash, status, completed_at)
     VALUES ($1, 'case-history', 'test', 'test-chain', 'none', 'completed', now())`,
    [id],
  );
  await lab.servers.query("INSERT INTO session_runtime (session_id, last_seq) VALUES ($1, $2)", [
    id,
    HISTORY,
  ]);
  await lab.servers.query(
    `INSERT INTO events (session_id, seq, payload)
     SELECT $1::uuid, n, jsonb_build_object('type', CASE WHEN n = $2::int THEN 'session.completed' ELSE 'session.status' END,
       'session_id', $1::uuid, 'status', 'completed', 'timestamp', '2026-01-01T00:00:00.000Z')
     FROM generate_series(1, $2::int) AS n ORDER BY n`,
    [id, HISTORY],
  );
  return id;
}
