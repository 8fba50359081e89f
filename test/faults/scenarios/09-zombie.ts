import { setTimeout as wait } from "node:timers/promises";
import { until } from "../../support/until.ts";
import type { ExecutorSlot } from "../harness/executor-slot.ts";
import type { FaultLab } from "../harness/fault-lab.ts";
import type { Scenario, ScenarioContext } from "../harness/scenario.ts";

/** A process that is stopped in mid-step believes, when it goes on, that its sessions are still its own. */
export const zombie: Scenario = {
  name: "zombie",
  summary: "an executor is stopped (SIGSTOP) in mid-step until another has taken over, and goes on",
  inShortRun: true,
  run: async (context) => {
    const { rounds, sessions } = context.short ? { rounds: 1, sessions: 0 } : { rounds: 5, sessions: 10 };
    let onBegin: BeginWatch | undefined;
    const lab = await context.lab({
      executors: 2,
      slots: 10,
      watchExecutor: (slot) => ({
        asked: (sql) => {
          const after = sql.includes("START TRANSACTION") ? onBegin?.(slot) : undefined;
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
        watchBegin: (watch) => void (onBegin = watch),
      });
      if (sessions > 0) await freezeAnywhere(context, lab, { frozen, other, sessions });
      context.say(`round ${round} of ${rounds}`);
    }
    const completed = await lab.countByStatus("completed");
    context.expect("every session completes", completed === lab.alerts.acked.size);
    context.expect(
      "no executor ended",
      lab.executors.every(({ isRunning }) => isRunning),
    );
  },
};

/** Told when an executor begins a transaction; what it returns is waited for first. */
type BeginWatch = (slot: number) => Promise<void> | undefined;

interface Pair {
  readonly frozen: ExecutorSlot;
  readonly other: ExecutorSlot;
}

/** The answer is in hand and its transaction about to begin; when it goes on, the new owner is waiting for its own answer. */
async function freezeBeforeItsWrite(
  { figure, expect }: ScenarioContext,
  lab: FaultLab,
  { frozen, other, watchBegin }: Pair & { watchBegin: (watch: BeginWatch | undefined) => void },
): Promise<void> {
  await other.stop();
  const goesOn = Promise.withResolvers<void>();
  const { caseId, data } = lab.alerts.newCase({ turns: 2, paceMs: 3_000 });
  const callsOf = () => lab.model.calls.filter((call) => call.caseId === caseId && call.number === 2);
  let stoppedAt = 0;
  const onBegin = (slot: number) => {
    if (slot !== frozen.index || stoppedAt > 0 || callsOf()[0]?.answered !== true) return undefined;
    stoppedAt = Date.now();
    frozen.freeze();
    return goesOn.promise;
  };
  watchBegin(onBegin);
  const id = await lab.alerts.submitCase({ caseId, data });
  lab.follow([id]);
  await until("the executor is stopped with an answer in hand", () => stoppedAt > 0);
  await other.start();
  await until("the new owner asks the model again", () => callsOf().length > 1, 90_000);
  figure("from the stop to the next owner's call", (Date.now() - stoppedAt) / 1_000, "s");
  expect("the new owner has no answer yet", callsOf()[1]?.answered === false);
  frozen.thaw();
  goesOn.resolve();
  watchBegin(undefined);
  await lab.untilAllTerminal();
}

/** Ten sessions in whatever they are at, for a minute. */
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
  const stoppedAt = Date.now();
  const unfinished = async () => (await lab.unfinished()) > 0;
  await until("all are taken over and over", async () => !(await unfinished()), 120_000);
  figure("ten sessions taken over and completed after", (Date.now() - stoppedAt) / 1_000, "s");
  await wait(Math.max(0, 60_000 - (Date.now() - stoppedAt)));
  frozen.thaw();
  // Whatever it still believes in is tried within its first seconds.
  await wait(3_000);
}
