import { setTimeout as wait } from "node:timers/promises";
import { Type } from "typebox";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { percentile } from "../../../bench/support/percentile.ts";
import { until } from "../../support/until.ts";
import type { FaultLab } from "../harness/fault-lab.ts";
import { repeatedModelCalls } from "../harness/check-model-calls.ts";
import type { Scenario } from "../harness/scenario.ts";

const EXECUTORS = 3;
const TURNS = 4; // four answers and four tool calls: eight steps, then the last answer

/** Processes die at random, in whatever they are doing, and come back at once as a supervisor would have them. */
export const executorKill: Scenario = {
  name: "executor-kill",
  summary: "executors are killed at random times (kill -9) and started again",
  inShortRun: true,
  run: async ({ lab: openLab, random, short, say, figure, expect }) => {
    const { sessions, kills } = short ? { sessions: 8, kills: 3 } : { sessions: 50, kills: 200 };
    // Places for all of them: a session that waits for one would blur how long it waits for an owner.
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
        say(`${killed} of ${kills} kills, all sessions over: ${sessions} more`);
      }
      await wait(random.between(100, short ? 1_500 : 6_000));
      const slot = random.pick(lab.executors);
      if (!slot.isRunning) continue;
      await slot.kill();
      await slot.start({ ready: false });
      killed += 1;
      if (killed % 20 === 0) say(`${killed} of ${kills} kills, ${await lab.unfinished()} sessions to go`);
    }
    await lab.untilAllTerminal(short ? 180_000 : 600_000);
    const gaps = await gapsAfterKills(lab);
    // From a session's second loss without a completed step on, it is put off for 1 to 16 s on purpose.
    const [straight, putOff] = [gaps.filter((gap) => !gap.wasPutOff), gaps.filter((gap) => gap.wasPutOff)];
    figure("sessions completed", await lab.countByStatus("completed"), `of ${lab.alerts.acked.size}`);
    figure("kills", kills, "");
    figure("sessions that lost their owner", gaps.length, `times, ${putOff.length} of them put off`);
    figure("from the kill to the next owner, p50", percentile(secondsOf(straight), 0.5), "s");
    figure("from the kill to the next owner, p99", percentile(secondsOf(straight), 0.99), "s");
    if (putOff.length > 0) {
      figure("the same where it was put off, p99", percentile(secondsOf(putOff), 0.99), "s");
    }
    figure("LLM calls made again", repeatedModelCalls(lab.model.calls), `of ${lab.model.calls.length}`);
    expect("every session completes", (await lab.countByStatus("completed")) === lab.alerts.acked.size);
    const longest = [Math.max(0, ...secondsOf(straight)), Math.max(0, ...secondsOf(putOff))] as const;
    expect(
      "the next owner is there within 60 s, 120 s where it is put off",
      longest[0] <= 60 && longest[1] <= 120,
      longest.join(),
    );
  },
};

interface Gap {
  readonly seconds: number;
  readonly wasPutOff: boolean;
}

function secondsOf(gaps: readonly Gap[]): number[] {
  return gaps.map(({ seconds }) => seconds);
}

const parsePutOff = compileParser(
  "session put off",
  Type.Object({ session_id: Type.String(), at: Type.Number() }),
);
const PUT_OFF = `
SELECT session_id, extract(epoch FROM at)::float8 * 1000 AS at FROM fault.attempts WHERE attempts > 1`;

/** For each session that a killed process held: how long until somebody claimed it again. */
async function gapsAfterKills(lab: FaultLab): Promise<Gap[]> {
  const killedAt = new Map(
    lab.executors.flatMap(({ kills }) => kills.map(({ pod, at }) => [pod, at] as const)),
  );
  const putOff = (await lab.servers.query(PUT_OFF, [])).map((row) => parsePutOff(row));
  const claims = Map.groupBy(await lab.claims(), ({ session_id }) => session_id);
  const gaps: Gap[] = [];
  for (const [sessionId, owned] of claims) {
    for (const [index, claim] of owned.entries()) {
      const next = owned[index + 1];
      const from = killedAt.get(claim.pod ?? "");
      if (next === undefined || from === undefined || next.at <= from) continue;
      const wasPutOff = putOff.some(
        ({ session_id, at }) => session_id === sessionId && at > from && at <= next.at,
      );
      gaps.push({ seconds: (next.at - from) / 1_000, wasPutOff });
    }
  }
  return gaps;
}
