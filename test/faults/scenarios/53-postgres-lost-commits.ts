import { Type } from "typebox";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { StandbyPostgres } from "../../support/standby-postgres.ts";
import { until } from "../../support/until.ts";
import type { FaultLab } from "../harness/fault-lab.ts";
import type { Scenario } from "../harness/scenario.ts";

const PLACES = 6;
/** Each makes an event or more. */
const LOST_STEPS = 2;
const parseSeq = compileParser("newest event", Type.Object({ id: Type.String(), seq: Type.Integer() }));

/**
 * What only the former primary had is gone: alerts, claims, steps, ends of sessions, and events that clients have. All that is left goes on
 * from what the new primary has.
 */
export const postgresLostCommits: Scenario = {
  name: "postgres-lost-commits",
  summary: "a standby that lacks the newest commits takes the place of the primary of Postgres",
  run: async ({ lab: openLab, short, progress, figure, expect, allowRepeats }) => {
    const rounds = short ? 1 : 5;
    const lab = await openLab({ executors: 2, slots: PLACES / 2, postgresMoves: true });
    let [lostEvents, lostAlerts, gone] = [0, 0, 0];
    for (let round = 1; round <= rounds; round += 1) {
      const slow = await lab.alerts.submitMany(PLACES - 2, { type: "thinking", paceMs: 1_500 });
      const soonOver = await lab.alerts.submitMany(2, { type: "thinking", paceMs: 300 });
      // They wait for a place, which they get only when the standby receives nothing any more.
      const waiting = await lab.alerts.submitMany(2, { type: "thinking", paceMs: 1_500 });
      lab.follow([...slow, ...soonOver, ...waiting]);
      const standby = await StandbyPostgres.follow(lab.servers, { isSynchronous: false });
      await until("sessions run", async () => (await claimedOf(lab, slow)) === slow.length);
      standby.holdBack(true);
      const kept = await seqsOf(lab);
      const lost = await lab.alerts.submitMany(3, { type: "thinking" });
      await until("steps and claims are made that will be lost", async () => {
        const now = await seqsOf(lab);
        const isAhead = slow.every((id) => (now.get(id) ?? 0) >= (kept.get(id) ?? 0) + LOST_STEPS);
        return isAhead && (await claimedOf(lab, waiting)) === waiting.length;
      });
      const before = await seqsOf(lab);
      await standby.takeOver();
      // A call whose answer is lost is made again.
      lab.model.calls.splice(0);
      const after = await seqsOf(lab);
      for (const [id, seq] of before) lostEvents += Math.max(0, seq - (after.get(id) ?? 0));
      for (const id of lost) {
        lostAlerts += 1;
        lab.alerts.acked.delete(id);
        gone += Number((await until("the api answers", async () => statusOf(lab, id))) === 404);
      }
      await lab.untilAllTerminal();
      progress(`round ${round} of ${rounds}: ${lostEvents} events and ${lostAlerts} alerts lost`);
    }
    allowRepeats(lab.alerts.acked.size * rounds);
    figure("lost events", lostEvents, "");
    figure("lost alerts", lostAlerts, "");
    expect("events are lost", lostEvents >= rounds * (PLACES - 2), `${lostEvents}`);
    expect("a session whose alert is lost is unknown", gone === lostAlerts, `${gone} of ${lostAlerts}`);
    const completed = await lab.countByStatus("completed");
    const total = lab.alerts.acked.size;
    expect("every session that is left completes", completed === total, `${completed} of ${total}`);
    const told = lab.recorders.filter(({ errors }) => errors.length > 0).length;
    expect("clients with lost events are told", told === rounds, `${told} of ${rounds}`);
  },
};

/** Undefined while the api has no Postgres. */
async function statusOf(lab: FaultLab, id: string): Promise<number | undefined> {
  const { status } = await lab.client.request("GET", `/api/v1/sessions/${id}`);
  return status === 503 ? undefined : status;
}

/** How many of these sessions have been claimed. */
async function claimedOf(lab: FaultLab, ids: readonly string[]): Promise<number> {
  return new Set((await lab.claims()).map(({ session_id }) => session_id).filter((id) => ids.includes(id)))
    .size;
}

async function seqsOf(lab: FaultLab): Promise<ReadonlyMap<string, number>> {
  const rows = await lab.servers.query("SELECT session_id AS id, last_seq AS seq FROM session_runtime", []);
  return new Map(rows.map((row) => parseSeq(row)).map(({ id, seq }) => [id, seq]));
}
