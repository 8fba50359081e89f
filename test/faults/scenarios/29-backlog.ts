import { setTimeout as wait } from "node:timers/promises";
import { connect } from "nats";
import { parseNatsAddress } from "#shared/bus/nats-address.ts";
import { Type } from "typebox";
import { SESSIONS_STREAM } from "#shared/contracts/subjects.ts";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { percentile } from "../../../lab/bench/support/percentile.ts";
import type { FaultLab } from "../harness/fault-lab.ts";
import type { Scenario } from "../harness/scenario.ts";

const CAP = 5;

/** More alerts than may run concurrently wait in the stream, in order. */
export const backlog: Scenario = {
  name: "backlog",
  summary: "alerts arrive faster than the limit on running sessions allows",
  run: async ({ lab: openLab, short, figure, expect }) => {
    const { alerts, perSecond } = short ? { alerts: 60, perSecond: 30 } : { alerts: 2_000, perSecond: 100 };
    const lab = await openLab({ executors: 2, slots: CAP, maxRunning: CAP });
    const accepted: number[] = [];
    const sending: Promise<void>[] = [];
    const startedAt = performance.now();
    for (let n = 0; n < alerts; n += 1) {
      await wait(Math.max(0, startedAt + (n * 1_000) / perSecond - performance.now()));
      const sentAt = performance.now();
      sending.push(
        lab.alerts
          .submit({ turns: 0, paceMs: 40 })
          .then(() => void accepted.push(performance.now() - sentAt)),
      );
    }
    await Promise.all(sending);
    const most = await mostPerSubject(lab);
    await lab.untilAllTerminal(600_000);
    const order = await claimOrder(lab);
    figure("alerts accepted, p99", percentile(accepted, 0.99), "ms");
    figure("sessions completed", await lab.countByStatus("completed"), `of ${alerts}`);
    figure("most running concurrently", mostConcurrent(order), "");
    figure("farthest out of order", farthestOutOfOrder(order), "positions");
    figure("most messages of one session in the stream", most, "");
    expect("every session completes", (await lab.countByStatus("completed")) === alerts);
    expect(`never more than ${CAP} run`, mostConcurrent(order) <= CAP, `${mostConcurrent(order)}`);
    expect(
      "sessions start in the order of arrival, apart from those running concurrently",
      farthestOutOfOrder(order) <= 4 * CAP,
    );
    expect("at most one message per session", most <= 1, `${most}`);
  },
};

const parseRun = compileParser(
  "run",
  Type.Object({ position: Type.Integer(), claimed: Type.Number(), ended: Type.Number() }),
);
type Run = ReturnType<typeof parseRun>;

/** Every run in the order of the claims, with its position in the order of arrival. */
export async function claimOrder(lab: FaultLab): Promise<Run[]> {
  const rows = await lab.servers.query(
    `SELECT row_number() OVER (ORDER BY s.created_at)::int AS position,
            extract(epoch FROM c.at)::float8 AS claimed, extract(epoch FROM s.completed_at)::float8 AS ended
     FROM alert_sessions s JOIN fault.claims c USING (session_id) ORDER BY c.at`,
    [],
  );
  return rows.map((row) => parseRun(row));
}

/** The most runs at the moment of a claim. */
export function mostConcurrent(runs: readonly Run[]): number {
  return Math.max(
    ...runs.map(
      ({ claimed }) => runs.filter((other) => other.claimed <= claimed && other.ended > claimed).length,
    ),
  );
}

function farthestOutOfOrder(runs: readonly Run[]): number {
  return Math.max(...runs.map(({ position }, index) => Math.abs(position - 1 - index)));
}

async function mostPerSubject(lab: FaultLab): Promise<number> {
  const connection = await connect(parseNatsAddress(lab.servers.nats.url));
  try {
    const jsm = await connection.jetstreamManager();
    const { state } = await jsm.streams.info(SESSIONS_STREAM, { subjects_filter: ">" });
    return Math.max(0, ...Object.values(state.subjects ?? {}));
  } finally {
    await connection.close();
  }
}
