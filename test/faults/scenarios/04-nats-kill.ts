import { setTimeout as wait } from "node:timers/promises";
import { percentile } from "../../../lab/bench/support/percentile.ts";
import { until } from "../../support/until.ts";
import type { Scenario } from "../harness/scenario.ts";

/** NATS is killed and restarted with its data while alerts arrive and investigations run. */
export const natsKill: Scenario = {
  name: "nats-kill",
  summary: "NATS is killed repeatedly and stays down for 0 to 20 s, under load",
  run: async ({ lab: openLab, random, short, progress, figure, expect, allowRepeats, allowComplaints }) => {
    allowComplaints(/filestore|stream state/iu);
    const { kills, longestMs } = short ? { kills: 2, longestMs: 4_000 } : { kills: 30, longestMs: 20_000 };
    const lab = await openLab({ executors: 2, slots: 5 });
    const recorder = lab.follow(await lab.alerts.submitMany(4, { paceMs: 300 }));
    const dispatch: number[] = [];
    let refused = 0;
    for (let round = 1; round <= kills; round += 1) {
      await wait(random.between(200, 2_000));
      await lab.servers.killNats();
      const downMs = random.between(0, longestMs);
      const upAt = Date.now() + downMs;
      const whileDown: string[] = [];
      do {
        await lab.alerts.submit({ turns: 2 }).then(
          (id) => whileDown.push(id),
          () => (refused += 1),
        );
        await wait(Math.min(500, Math.max(0, upAt - Date.now())));
      } while (Date.now() < upAt);
      await lab.servers.restartNats();
      const backAt = Date.now();
      for (const id of whileDown) recorder.follow(id);
      const first = whileDown.at(-1);
      await until("an alert accepted during the outage is claimed", async () =>
        (await lab.claims()).some(({ session_id }) => session_id === first),
      );
      dispatch.push(Date.now() - backAt);
      if (round % 5 === 0) progress(`${round} of ${kills} kills, ${await lab.unfinished()} sessions left`);
    }
    // A tool request or reply lost with a connection is sent again, and its tool-runner may be gone.
    allowRepeats(kills * 2);
    await lab.untilAllTerminal();
    figure("alerts accepted", lab.alerts.acked.size, "");
    figure("alerts refused", refused, "");
    figure(
      "from the restart of NATS to the claim of an alert accepted during the outage, p99",
      percentile(dispatch, 0.99) / 1_000,
      "s",
    );
    expect("every alert is accepted", refused === 0, `${refused} refused`);
    expect("every session completes", (await lab.countByStatus("completed")) === lab.alerts.acked.size);
    expect(
      "waiting alerts are claimed within 20 s",
      Math.max(...dispatch) <= 20_000,
      `${Math.max(...dispatch)} ms`,
    );
  },
};
