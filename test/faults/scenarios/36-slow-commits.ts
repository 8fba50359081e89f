import { Type } from "typebox";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { Scenario } from "../harness/scenario.ts";

/** The agent whose commits are slow, and its sibling. */
const [SLOW, SIBLING] = ["agent-11", "agent-12"];
const MAX_CALLS = 3;

/** Longer than `statement_timeout`. The step's other statements are as fast as ever. */
const SLOW_COMMITS = `
CREATE FUNCTION fault.slow_commit() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  IF EXISTS (SELECT FROM agent_executions WHERE execution_id = NEW.execution_id AND agent_name = 'Parallel11') THEN
    PERFORM pg_sleep(6);
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER fault_slow_commit BEFORE INSERT ON llm_interactions FOR EACH ROW EXECUTE FUNCTION fault.slow_commit()`;

const parseExecution = compileParser(
  "execution row",
  Type.Object({
    agent_name: Type.String(),
    status: Type.String(),
    error_code: Type.Union([Type.String(), Type.Null()]),
  }),
);
const EXECUTIONS = "SELECT agent_name, status, error_code FROM agent_executions ORDER BY agent_name";

/** A step that can never be committed must not make its paid LLM call without end, nor take others down. */
export const slowCommits: Scenario = {
  name: "slow-commits",
  summary: "every commit of an LLM call by one of two concurrent agents is slower than statement_timeout",
  run: async ({ lab: openLab, short, figure, expect, allowRepeats }) => {
    const sessions = short ? 1 : 4;
    const lab = await openLab({ executors: 2, slots: 4 });
    await lab.servers.query(SLOW_COMMITS, []);
    allowRepeats(sessions * (MAX_CALLS - 1));
    lab.follow(await lab.alerts.submitMany(sessions, { type: "parallel", turns: 1 }));
    await lab.untilAllTerminal(300_000);
    const calls = lab.model.calls.filter(({ agent }) => agent === SLOW);
    const perStep = Map.groupBy(calls, ({ caseId, number }) => `${caseId} ${number}`);
    const most = Math.max(0, ...[...perStep.values()].map((made) => made.length));
    figure("LLM calls of one step", most, "");
    expect(`a step makes at most ${MAX_CALLS} LLM calls`, most > 0 && most <= MAX_CALLS, `${most}`);
    expect("and only the first step is tried", perStep.size === sessions, [...perStep.keys()].join());
    const executions = (await lab.servers.query(EXECUTIONS, [])).map((row) => parseExecution(row));
    for (const { agent_name, status, error_code } of executions) {
      const isSlow = agent_name === "Parallel11";
      const found = `${status} ${error_code}`;
      if (isSlow) {
        expect("the slow agent fails with the step's error", found === "failed database_slow", found);
      } else {
        expect("its sibling and the synthesis complete", status === "completed", `${agent_name}: ${found}`);
      }
    }
    const siblings = lab.model.calls.filter(({ agent }) => agent === SIBLING);
    expect(
      "the sibling makes each call once",
      siblings.length === 2 * sessions,
      `${siblings.length} calls in ${sessions} sessions`,
    );
    expect("every session completes", (await lab.countByStatus("completed")) === sessions);
  },
};
