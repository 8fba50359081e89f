import { setTimeout as wait } from "node:timers/promises";
import { Type } from "typebox";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { percentile } from "../../../lab/bench/support/percentile.ts";
import { until } from "../../support/until.ts";
import type { FaultLab } from "../harness/fault-lab.ts";
import type { Scenario } from "../harness/scenario.ts";

const WAVE = 10;

/** Users cancel at any time: before the claim, during an answer or a tool call, between steps, at the end. */
export const cancelRace: Scenario = {
  name: "cancel-race",
  summary: "sessions are cancelled at random times, finally with NATS down",
  run: async ({ lab: openLab, random, short, progress, figure, expect }) => {
    const cancels = short ? 20 : 500;
    const lab = await openLab({ executors: 2, slots: 5, toolDelay: "250ms" });
    for (let done = 0; done < cancels; done += WAVE) {
      await Promise.all(
        Array.from({ length: WAVE }, async () => {
          const id = await lab.alerts.submit({
            turns: 2,
            paceMs: 400,
            words: random.next() < 0.3 ? "HANG" : "",
          });
          await wait(random.between(0, 2_500));
          await cancel(lab, id);
        }),
      );
      await lab.untilAllTerminal(60_000);
      if ((done / WAVE) % 10 === 9) progress(`${done + WAVE} of ${cancels} cancels`);
    }
    const times = await cancelTimes(lab);
    const cutOffs = socketTimes(lab, await requestTimes(lab));
    figure("sessions cancelled", times.length, `of ${lab.alerts.acked.size}`);
    figure("from the cancel to the end, p50", percentile(times, 0.5), "ms");
    figure("from the cancel to the end, p99", percentile(times, 0.99), "ms");
    if (cutOffs.length > 0) {
      figure("from the cancel to the model's socket, p99", percentile(cutOffs, 0.99), "ms");
    }
    expect(
      "a cancel ends a session within 5 s",
      times.every((ms) => ms <= 5_000),
      `${Math.max(...times)} ms`,
    );

    const hanging = await lab.alerts.submit({ words: "HANG" });
    // No further write can then discover the cancel.
    await until(
      "the model has sent its text",
      async () => (await lab.client.session(hanging)).timeline.length === 2,
    );
    await lab.servers.killNats();
    const askedAt = performance.now();
    await cancel(lab, hanging);
    await lab.client.waitFor(hanging, ["cancelled"]);
    const withoutNats = (performance.now() - askedAt) / 1_000;
    await lab.servers.restartNats();
    figure("from the cancel to the end, with NATS down", withoutNats, "s");
    expect("a cancel ends a session within 15 s with NATS down", withoutNats <= 15, `${withoutNats} s`);
    const [ended, all] = [await lab.countByStatus("cancelled"), lab.alerts.acked.size];
    expect(
      "every session ends as cancelled or completed before the cancel",
      ended + (await lab.countByStatus("completed")) === all,
    );
  },
};

async function cancel(lab: FaultLab, id: string): Promise<void> {
  const { status } = await lab.client.request("POST", `/api/v1/sessions/${id}/cancel`);
  if (status !== 200 && status !== 409) throw new Error(`cancel answered ${status}`);
}

const parseTime = compileParser("time of a cancel", Type.Object({ ms: Type.Number() }));

/** Milliseconds from each accepted cancel to the end of the session, by the clock of Postgres. */
async function cancelTimes(lab: FaultLab): Promise<number[]> {
  const rows = await lab.servers.query(
    `SELECT extract(epoch FROM s.completed_at - r.cancel_requested_at)::float8 * 1000 AS ms
     FROM alert_sessions s JOIN session_runtime r USING (session_id) WHERE s.status = 'cancelled'`,
    [],
  );
  return rows.map((row) => parseTime(row).ms);
}

const parseRequested = compileParser(
  "requested cancel",
  Type.Object({ session_id: Type.String(), ms: Type.Number() }),
);

async function requestTimes(lab: FaultLab): Promise<Map<string, number>> {
  const rows = await lab.servers.query(
    `SELECT session_id, extract(epoch FROM cancel_requested_at)::float8 * 1000 AS ms
     FROM session_runtime WHERE cancel_requested_at IS NOT NULL`,
    [],
  );
  return new Map(
    rows.map((row) => {
      const { session_id, ms } = parseRequested(row);
      return [lab.alerts.acked.get(session_id) ?? "", ms] as const;
    }),
  );
}

/** Milliseconds from each cancel to the close of the LLM connection that it cancelled. */
function socketTimes(lab: FaultLab, requested: ReadonlyMap<string, number>): number[] {
  return lab.model.calls.flatMap(({ caseId, brokenOffAt }) => {
    const at = requested.get(caseId);
    return at === undefined || brokenOffAt === undefined || brokenOffAt < at ? [] : [brokenOffAt - at];
  });
}
