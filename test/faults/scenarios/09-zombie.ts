import { setTimeout as wait } from "node:timers/promises";
import { isCommit } from "../../support/postgres-tap.ts";
import { until } from "../../support/until.ts";
import type { ExecutorSlot } from "../harness/executor-slot.ts";
import type { FaultLab } from "../harness/fault-lab.ts";
import type { Scenario, ScenarioContext } from "../harness/scenario.ts";

/** A process that was stopped in the middle of a step still believes that it owns its sessions when it continues. */
export const zombie: Scenario = {
  name: "zombie",
  summary: "an executor is frozen (SIGSTOP) during a step and continues after another has taken over",
  run: async (context) => {
    const { rounds, sessions } = context.short ? { rounds: 1, sessions: 0 } : { rounds: 5, sessions: 10 };
    let onWrite: WriteWatch | undefined;
    const lab = await context.lab({
      executors: 2,
      slots: 10,
      watchExecutor: (slot) => ({
        asked: (sql) => {
          const after = isCommit(sql) ? onWrite?.(slot) : undefined;
          return after === undefined ? "forward" : { after };
        },
      }),
    });
    for (let round = 1; round <= rounds; round += 1) {
      const [frozen, other] = round % 2 === 1 ? lab.executors : lab.executors.toReversed();
      if (frozen === undefined || other === undefined) throw new Error("two executors are needed");
      await freezeBeforeItsWrite(context, lab, {
        frozen,
        other,
        watchWrites: (watch) => void (onWrite = watch),
      });
      if (sessions > 0) await freezeAnywhere(context, lab, { frozen, other, sessions });
      context.progress(`round ${round} of ${rounds}`);
    }
    const completed = await lab.countByStatus("completed");
    context.expect("every session completes", completed === lab.alerts.acked.size);
    context.expect(
      "no executor exits",
      lab.executors.every(({ isRunning }) => isRunning),
    );
  },
};

/** Called before an executor's write reaches Postgres. A returned promise delays it. */
type WriteWatch = (slot: number) => Promise<void> | undefined;

interface Pair {
  readonly frozen: ExecutorSlot;
  readonly other: ExecutorSlot;
}

/** Freezes an executor between an LLM answer and the write that stores it, until the new owner waits for its own LLM answer. */
async function freezeBeforeItsWrite(
  { figure, expect }: ScenarioContext,
  lab: FaultLab,
  { frozen, other, watchWrites }: Pair & { watchWrites: (watch: WriteWatch | undefined) => void },
): Promise<void> {
  await other.stop();
  const thawed = Promise.withResolvers<void>();
  const { caseId, data } = lab.alerts.newCase({ turns: 2, paceMs: 3_000 });
  const callsOf = () => lab.model.calls.filter((call) => call.caseId === caseId && call.number === 2);
  let frozenAt = 0;
  const onWrite = (slot: number) => {
    if (slot !== frozen.index || frozenAt > 0 || callsOf()[0]?.answered !== true) return undefined;
    frozenAt = Date.now();
    frozen.freeze();
    return thawed.promise;
  };
  watchWrites(onWrite);
  const id = await lab.alerts.submitCase({ caseId, data });
  lab.follow([id]);
  await until("the executor is frozen before it stores an answer", () => frozenAt > 0);
  await other.start();
  await until("the new owner repeats the LLM call", () => callsOf().length > 1, 90_000);
  figure("from the freeze to the next owner's LLM call", (Date.now() - frozenAt) / 1_000, "s");
  expect("the new owner has no answer yet", callsOf()[1]?.answered === false);
  frozen.thaw();
  thawed.resolve();
  watchWrites(undefined);
  await lab.untilAllTerminal();
}

/** Freezes an executor with ten sessions at arbitrary points, for a minute. */
async function freezeAnywhere(
  { figure }: ScenarioContext,
  lab: FaultLab,
  { frozen, other, sessions }: Pair & { sessions: number },
): Promise<void> {
  await other.stop();
  const before = await lab.claims();
  const ids = await lab.alerts.submitMany(sessions, { turns: 4, paceMs: 300 });
  lab.follow(ids);
  const claimed = async () => {
    const later = (await lab.claims()).slice(before.length);
    return ids.map((id) => later.filter(({ session_id }) => session_id === id).length);
  };
  await until("all are claimed", async () => (await claimed()).every((owners) => owners > 0));
  await other.start();
  frozen.freeze();
  const frozenAt = Date.now();
  const unfinished = async () => (await lab.unfinished()) > 0;
  await until("all are taken over and have ended", async () => !(await unfinished()), 120_000);
  figure("ten sessions taken over and completed after", (Date.now() - frozenAt) / 1_000, "s");
  await wait(Math.max(0, 60_000 - (Date.now() - frozenAt)));
  frozen.thaw();
  // It tries to write for its old sessions within its first seconds.
  await wait(3_000);
}
