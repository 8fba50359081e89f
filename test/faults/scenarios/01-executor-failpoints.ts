import { until } from "../../support/until.ts";
import type { ExecutorSlot } from "../harness/executor-slot.ts";
import type { FaultLab } from "../harness/fault-lab.ts";
import { answerFromAlert } from "../harness/lab-config.ts";
import { isCommit, type StatementWatch } from "../../support/postgres-tap.ts";
import type { Scenario } from "../harness/scenario.ts";

/** The transactions of an investigation, each recognised by a statement that only it contains. */
const TRANSACTIONS: Readonly<Record<string, RegExp>> = {
  "the claim": /SET lease_owner = \$2/u,
  "the start of a stage and its conversation": /INSERT INTO stages/u,
  "the tool list": /"interaction_type":"tool_list"/u,
  "the first text of an answer": /"status":"streaming"/u,
  "the model's answer and its first tool call": /INSERT INTO llm_interactions/u,
  "a tool call's result": /"event_type":"tool_result"/u,
  "the end of an execution and its stage": /UPDATE stages SET/u,
  "the end of the session": /"executive_summary_error"/u,
};

interface Failpoint {
  readonly name: string;
  readonly when: "before COMMIT" | "after COMMIT" | "model is asked" | "tool runs";
  readonly transaction: RegExp | undefined;
}

const FAILPOINTS: readonly Failpoint[] = [
  ...Object.entries(TRANSACTIONS).flatMap(([name, transaction]) =>
    (["before COMMIT", "after COMMIT"] as const).map((when) => ({
      name: `${when} of ${name}`,
      when,
      transaction,
    })),
  ),
  { name: "while the model answers", when: "model is asked", transaction: undefined },
  { name: "while a tool runs", when: "tool runs", transaction: undefined },
];

/** Kills the executor at each point of an investigation where a crash could lose or repeat something. */
export const executorFailpoints: Scenario = {
  name: "executor-failpoints",
  summary:
    "an executor dies right before and right after each COMMIT, while the model answers, while a tool runs",
  run: async ({ lab: openLab, short, progress, figure, expect }) => {
    const failpoints = short ? FAILPOINTS.slice(-2) : FAILPOINTS;
    let armed: Failpoint | undefined;
    const kill = (slot: ExecutorSlot | undefined) => {
      armed = undefined;
      slot?.kills.push({ pod: slot.pod, at: Date.now() });
      slot?.service.process.kill("SIGKILL");
    };
    const watch = (index: number): StatementWatch => {
      const decide = (sql: string, transaction: readonly string[], when: Failpoint["when"]) => {
        const isArmedCommit =
          armed?.when === when &&
          isCommit(sql) &&
          [...transaction, sql].some((text) => armed?.transaction?.test(text) === true);
        if (!isArmedCommit) return "forward";
        kill(lab.executors[index - 1]);
        return "hold";
      };
      return {
        asked: (sql, transaction) => decide(sql, transaction, "before COMMIT"),
        answered: (sql, transaction) => decide(sql, transaction, "after COMMIT"),
      };
    };
    const lab: FaultLab = await openLab({
      executors: 1,
      slots: 5,
      toolDelay: "500ms",
      watchExecutor: watch,
      plan: (call, alert) => {
        if (armed?.when === "model is asked") kill(lab.executors[0]);
        return answerFromAlert(call, alert);
      },
    });
    const [slot] = lab.executors;
    if (slot === undefined) throw new Error("an executor is needed");
    for (const failpoint of failpoints) {
      armed = failpoint;
      const calls = (await lab.toolCalls()).length;
      const id = await lab.alerts.submit({ turns: 2, paceMs: 50 });
      lab.follow([id]);
      if (failpoint.when === "tool runs") {
        await until("a tool runs", async () => (await lab.toolCalls()).length > calls);
        kill(slot);
      }
      const wasHit = await until(failpoint.name, () => !slot.isRunning, 20_000).catch(() => false);
      armed = undefined;
      expect(`the failpoint is hit: ${failpoint.name}`, wasHit);
      if (wasHit) await slot.start();
      const { status } = await lab.client.waitFor(
        id,
        ["completed", "failed", "cancelled", "timed_out"],
        90_000,
      );
      expect(`the session completes after a death ${failpoint.name}`, status === "completed", status);
      progress(failpoint.name);
    }
    figure("failpoints", failpoints.length, "");
  },
};
