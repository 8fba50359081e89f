import { randomUUID } from "node:crypto";
import { connect } from "nats";
import { parseNatsAddress } from "#shared/bus/nats-address.ts";
import { EXECUTORS_DURABLE, SESSIONS_STREAM, SUBJECTS } from "#shared/contracts/subjects.ts";
import { until } from "../../support/until.ts";
import type { Scenario } from "../harness/scenario.ts";

const GARBAGE = [
  "",
  "{",
  "null",
  "[]",
  '{"session_id":5}',
  '{"session_id":"../../etc"}',
  "\u0000\uffff",
  "x".repeat(100_000),
];

/** Invalid messages on the wake-up subjects, as from another program or another version. */
export const poisonMessage: Scenario = {
  name: "poison-message",
  summary: "invalid messages are published on the wake-up subjects",
  run: async ({ lab: openLab, figure, expect }) => {
    const lab = await openLab({ executors: 2, slots: 5 });
    const connection = await connect(parseNatsAddress(lab.servers.nats.url));
    try {
      const js = connection.jetstream();
      const jsm = await connection.jetstreamManager();
      for (const garbage of GARBAGE) {
        await js.publish(SUBJECTS.wakeUp("normal", randomUUID()), Buffer.from(garbage));
      }
      await lab.alerts.submitMany(3, { turns: 1, paceMs: 0 });
      await until("the stream is empty", async () => {
        const { state } = await jsm.streams.info(SESSIONS_STREAM);
        return state.messages === 0;
      });
      await lab.untilAllTerminal();
      const { num_ack_pending: pending, num_redelivered: redelivered } = await jsm.consumers.info(
        SESSIONS_STREAM,
        EXECUTORS_DURABLE,
      );
      const logged = lab.system.output.split("poison message terminated").length - 1;
      figure("poison messages", GARBAGE.length, "");
      figure("logged", logged, "");
      expect("each is logged once", logged === GARBAGE.length, `${logged} of ${GARBAGE.length}`);
      expect("none is delivered again", redelivered === 0, `${redelivered}`);
      expect("no acknowledgement is pending", pending === 0, `${pending}`);
      const counted = await countInMetrics(lab.executors.map(({ service }) => service.healthPort));
      expect("each is counted in the metrics", counted === GARBAGE.length, `${counted} of ${GARBAGE.length}`);
      expect("alerts still complete", (await lab.countByStatus("completed")) === 3);
    } finally {
      await connection.close();
    }
  },
};

/** The sum of the executors' poison counters. */
async function countInMetrics(ports: readonly number[]): Promise<number> {
  let sum = 0;
  for (const port of ports) {
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    for (const [, value] of text.matchAll(/^tarsy_\w*poison\w*(?:\{[^}]*\})? (\d+)$/gmu)) {
      sum += Number(value);
    }
  }
  return sum;
}
