import { setTimeout as wait } from "node:timers/promises";
import type { Scenario } from "../harness/scenario.ts";

/** The clients of an isolated node stay connected to it, while streams and tools are reachable only on the others. */
export const natsNodeIsolated: Scenario = {
  name: "nats-node-isolated",
  summary: "one of three NATS servers is cut off from the others, one after another, under load",
  run: async ({ lab: openLab, short, progress, figure, expect, allowRepeats, allowComplaints }) => {
    const { nodes, isolatedMs } = short
      ? { nodes: [0], isolatedMs: 30_000 }
      : { nodes: [0, 1, 2], isolatedMs: 60_000 };
    allowComplaints(
      /\broutes?\b|routing|\brid:/iu,
      /leader|quorum|RAFT|JetStream cluster|Catchup for stream/iu,
      // A replica that has missed messages corrects its consumer.
      /ACK sequence \d+ past last stream sequence/iu,
      /Stale Connection/iu,
    );
    const lab = await openLab({ executors: 3, slots: 4, natsCluster: true });
    const { cluster } = lab;
    if (cluster === undefined) throw new Error("a cluster is needed");
    const recorder = lab.follow(await lab.alerts.submitMany(4, { turns: 3, paceMs: 500 }));
    let [meanwhile, refused] = [0, 0];
    for (const node of nodes) {
      cluster.isolate(node, true);
      const endAt = Date.now() + isolatedMs;
      while (Date.now() < endAt) {
        const id = await lab.alerts.submit({ turns: 2 }).catch(() => undefined);
        if (id === undefined) refused += 1;
        else meanwhile += 1;
        if (id !== undefined && recorder.received.size < 45) recorder.follow(id);
        await wait(Math.min(2_000, Math.max(0, endAt - Date.now())));
      }
      cluster.isolate(node, false);
      const joinedAt = performance.now();
      await lab.untilAllTerminal();
      progress(
        `node ${node}: all ended ${((performance.now() - joinedAt) / 1_000).toFixed(0)} s after its return`,
      );
    }
    // A tool request or reply lost between two nodes is sent again.
    allowRepeats(lab.alerts.acked.size);
    figure("alerts accepted meanwhile", meanwhile, "");
    expect("every alert is accepted", refused === 0, `${refused} refused`);
    const completed = await lab.countByStatus("completed");
    expect(
      "every session completes",
      completed === lab.alerts.acked.size,
      `${completed} of ${lab.alerts.acked.size}`,
    );
  },
};
