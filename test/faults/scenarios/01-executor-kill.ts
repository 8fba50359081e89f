import { setTimeout as wait } from "node:timers/promises";
import { Type } from "typebox";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { percentile } from "../../../lab/bench/support/percentile.ts";
import { until } from "../../support/until.ts";
import type { FaultLab } from "../harness/fault-lab.ts";
import { repeatedModelCalls } from "../harness/check-model-calls.ts";
import type { Scenario } from "../harness/scenario.ts";

const EXECUTORS = 3;
const TURNS = 4; // four answers and four tool calls: eight steps, then the last answer

/** Executors are killed at random times and restarted immediately, as by a supervisor. */
export const executorKill: Scenario = {
  name: "executor-kill",
  summary: "executors are killed at random times (kill -9) and started again",
  run: async ({ lab: openLab, random, short, progress, figure, expect }) => {
    const { sessions, kills } = short ? { sessions: 8, kills: 3 } : { sessions: 50, kills: 200 };
    // Enough slots for all sessions: waiting for a slot must not count as waiting for an owner.
    const lab = await openLab({ executors: EXECUTORS, slots: Math.ceil(sessions / 2) });
    const paceMs = short ? 400 : 1_500;
    const submitWave = async () => {
      const parallel = Math.floor(sessions / 4);
      return [
        ...(await lab.alerts.submitMany(sessions - parallel, { turns: TURNS, paceMs })),
        ...(await lab.alerts.submitMany(parallel, { type: "parallel", turns: TURNS / 2, paceMs })),
      ];
    };
    const submitted = await submitWave();
    lab.follow(submitted.slice(0, 50));
    await until("sessions run", async () => (await lab.claims()).length > 2);
    for (let killed = 0; killed < kills;) {
      if ((await lab.unfinished()) === 0) {
        await submitWave();
        progress(`${killed} of ${kills} kills, all sessions ended: submitting ${sessions} more`);
      }
      await wait(random.between(100, short ? 1_500 : 6_000));
      const slot = random.pick(lab.executors);
      if (!slot.isRunning) continue;
      await slot.kill();
      await slot.start({ ready: false });
      killed += 1;
      if (killed % 20 === 0) progress(`${killed} of ${kills} kills, ${await lab.unfinished()} sessions left`);
    }
    await lab.untilAllTerminal(short ? 180_000 : 600_000);
    const gaps = await gapsAfterKills(lab);
    // A session that loses its owner again before it completes a step is deferred for 1 to 16 s.
    const [straight, deferred] = [
      gaps.filter((gap) => !gap.wasDeferred),
      gaps.filter((gap) => gap.wasDeferred),
    ];
    figure("sessions completed", await lab.countByStatus("completed"), `of ${lab.alerts.acked.size}`);
    figure("kills", kills, "");
    figure("sessions that lost their owner", gaps.length, `times, ${deferred.length} of them deferred`);
    figure("from the kill to the next owner, p50", percentile(secondsOf(straight), 0.5), "s");
    figure("from the kill to the next owner, p99", percentile(secondsOf(straight), 0.99), "s");
    if (deferred.length > 0) {
      figure("the same for deferred sessions, p99", percentile(secondsOf(deferred), 0.99), "s");
    }
    figure("repeated LLM calls", repeatedModelCalls(lab.model.calls), `of ${lab.model.calls.length}`);
    expect("every session completes", (await lab.countByStatus("completed")) === lab.alerts.acked.size);
    const longest = [Math.max(0, ...secondsOf(straight)), Math.max(0, ...secondsOf(deferred))] as const;
    expect(
      "the next owner claims within 60 s, a deferred session within 120 s",
      longest[0] <= 60 && longest[1] <= 120,
      longest.join(),
    );
  },
};

interface Gap {
  readonly seconds: number;
  readonly wasDeferred: boolean;
}

function secondsOf(gaps: readonly Gap[]): number[] {
  return gaps.map(({ seconds }) => seconds);
}

const parseDeferred = compileParser(
  "deferred session",
  Type.Object({ session_id: Type.String(), at: Type.Number() }),
);
const DEFERRED = `
SELECT session_id, extract(epoch FROM at)::float8 * 1000 AS at FROM fault.attempts WHERE attempts > 1`;

/** For each session whose owner was killed: the time until the next claim. */
async function gapsAfterKills(lab: FaultLab): Promise<Gap[]> {
  const killedAt = new Map(
    lab.executors.flatMap(({ kills }) => kills.map(({ pod, at }) => [pod, at] as const)),
  );
  const deferred = (await lab.servers.query(DEFERRED, [])).map((row) => parseDeferred(row));
  const claims = Map.groupBy(await lab.claims(), ({ session_id }) => session_id);
  const gaps: Gap[] = [];
  for (const [sessionId, owned] of claims) {
    for (const [index, claim] of owned.entries()) {
      const next = owned[index + 1];
      const from = killedAt.get(claim.pod ?? "");
      if (next === undefined || from === undefined || next.at <= from) continue;
      const wasDeferred = deferred.some(
        ({ session_id, at }) => session_id === sessionId && at > from && at <= next.at,
      );
      gaps.push({ seconds: (next.at - from) / 1_000, wasDeferred });
    }
  }
  return gaps;
}
