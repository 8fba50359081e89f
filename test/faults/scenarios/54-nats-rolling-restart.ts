import { setTimeout as wait } from "node:timers/promises";
import type { Scenario } from "../harness/scenario.ts";

/** As an upgrade of the servers does it: the next one stops only when the one before has caught up. */
export const natsRollingRestart: Scenario = {
  name: "nats-rolling-restart",
  summary: "three NATS servers restart one after another, under load",
  run: async ({ lab: openLab, random, short, progress, figure, expect, allowRepeats, allowComplaints }) => {
    const rounds = short ? 1 : 5;
    allowComplaints(
      /\broutes?\b|routing|\brid:/iu,
      /leader|quorum|RAFT|JetStream|Metalayer|Catchup/iu,
      // A killed server recovers its files, and its copies of streams and consumers.
      /filestore|stream state|recover|snapshot|consumer/iu,
      /ACK sequence \d+ past last stream sequence/iu,
      /Stale Connection/iu,
    );
    const lab = await openLab({ executors: 2, slots: 4, natsCluster: true });
    const { cluster } = lab;
    if (cluster === undefined) throw new Error("a cluster is needed");
    const recorder = lab.follow(await lab.alerts.submitMany(4, { turns: 4, paceMs: 500 }));
    let refused = 0;
    const done = new AbortController();
    const client = async () => {
      while (!done.signal.aborted) {
        const id = await lab.alerts.submit({ turns: 2, paceMs: 200 }).catch(() => undefined);
        if (id === undefined) refused += 1;
        else if (recorder.received.size < 45) recorder.follow(id);
        await wait(700);
      }
    };
    const load = client();
    const caughtUp: number[] = [];
    for (let round = 1; round <= rounds; round += 1) {
      for (let node = 0; node < cluster.size; node += 1) {
        await wait(random.between(500, 2_000));
        // An upgrade stops it in order; a lost machine does not.
        await cluster.stop(node, random.next() < 0.5);
        await wait(random.between(0, 3_000));
        const startedAt = performance.now();
        await cluster.start(node);
        caughtUp.push((performance.now() - startedAt) / 1_000);
      }
      progress(`round ${round} of ${rounds}: ${lab.alerts.acked.size} alerts accepted`);
    }
    done.abort();
    await load;
    await lab.untilAllTerminal();
    // A tool request or reply lost with a connection is sent again.
    allowRepeats(rounds * cluster.size * 4);
    figure("restarts", caughtUp.length, "");
    figure("alerts accepted", lab.alerts.acked.size, "");
    figure("from the start of a server until it has caught up, longest", Math.max(...caughtUp), "s");
    expect("every alert is accepted", refused === 0, `${refused} refused`);
    const completed = await lab.countByStatus("completed");
    const total = lab.alerts.acked.size;
    expect("every session completes", completed === total, `${completed} of ${total}`);
  },
};
