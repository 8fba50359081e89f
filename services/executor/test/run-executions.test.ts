import { expect } from "chai";
import { uuidFrom } from "#shared/uuid-from.ts";
import { until } from "../../../test/support/until.ts";
import { RunFixture } from "./run-fixture.ts";
import { installWritePoints } from "./write-points.ts";

const SCRIPT = [
  { when: { contains: "Bring the results" }, steps: [{ text: "both agree" }] },
  {
    when: { call: 1, contains: "k8s.pods" },
    steps: [{ text: "Thought: look\nAction: k8s.pods\nAction Input: n: 1" }],
  },
  { steps: [{ text: "Final Answer: found it" }] },
];

/** Rejects the LLM calls of a stage's second agent with the SQLSTATE in the table `refusing`, as long as it has a row. */
const REFUSE_SECOND = `
CREATE TABLE refusing (code text);
CREATE FUNCTION refuse_second() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  IF EXISTS (SELECT FROM refusing)
     AND EXISTS (SELECT FROM agent_executions WHERE execution_id = NEW.execution_id AND agent_index = 2) THEN
    RAISE EXCEPTION 'not this one' USING ERRCODE = (SELECT code FROM refusing);
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER refuse_second BEFORE INSERT ON llm_interactions FOR EACH ROW EXECUTE FUNCTION refuse_second();`;

describe("runExecutions", () => {
  let fixture: RunFixture;

  before(async () => {
    fixture = await RunFixture.startWithTools();
    await fixture.play(...SCRIPT);
  });
  after(() => fixture[Symbol.asyncDispose]());

  const statuses = async (id: string) =>
    fixture.executor.query(
      "SELECT agent_index AS n, status, error_code FROM agent_executions WHERE session_id = $1 ORDER BY agent_index",
      [id],
    );

  it("fails only the agent that has a terminal error", async () => {
    const id = await fixture.executor.insert({ strategy: "react", servers: ["k8s"], stages: [["A", "B"]] });
    const second = uuidFrom("execution:2", uuidFrom("stage:1", id));
    // The owner loses the lease after the stage's rows are written; the first write was the claim.
    const { kill: loseLeaseAtWrite } = await installWritePoints(fixture.executor);
    await loseLeaseAtWrite(id, 2);
    expect(await fixture.run(id)).to.equal("lost");
    // Another call has the id of the second agent's first call.
    await fixture.executor.query(
      `INSERT INTO tool_calls (call_id, session_id, execution_id, epoch, name, read_only, state)
       VALUES ($1, $2, $3, 1, 'k8s.restart', false, 'completed')`,
      [uuidFrom("tool:1:0", second), id, second],
    );
    expect(await fixture.run(id)).to.equal("completed");
    expect(await statuses(id)).to.deep.equal([
      { n: 1, status: "completed", error_code: null },
      { n: 2, status: "failed", error_code: "id_taken" },
      { n: 3, status: "completed", error_code: null },
    ]);
  });

  describe("when an agent's step meets an error without a verdict", () => {
    before(() => fixture.executor.query(REFUSE_SECOND, []));
    afterEach(() => fixture.executor.query("DELETE FROM refusing", []));

    const refuse = async (code: string) => fixture.executor.query("INSERT INTO refusing VALUES ($1)", [code]);
    const message = async (id: string) =>
      fixture.executor.query(
        "SELECT error_message FROM agent_executions WHERE session_id = $1 AND agent_index = 2",
        [id],
      );

    for (const { what, sqlState, tries, code } of [
      { what: "a defect", sqlState: "22P02", tries: 2, code: "internal" },
      { what: "a slow database", sqlState: "57014", tries: 3, code: "database_slow" },
    ]) {
      it(`ends that agent after ${tries} tries and no other: ${what}`, async () => {
        await refuse(sqlState);
        const id = await fixture.executor.insert({ stages: [["A", "B", "C"]] });
        const before = await fixture.gateway.calls();
        expect(await fixture.run(id)).to.equal("completed");
        expect(await statuses(id)).to.deep.equal([
          { n: 1, status: "completed", error_code: null },
          { n: 2, status: "failed", error_code: code },
          { n: 3, status: "completed", error_code: null },
          { n: 4, status: "completed", error_code: null },
        ]);
        expect(await message(id)).to.deep.equal([
          { error_message: `a step failed ${tries} times: not this one` },
        ]);
        // The agents A and C, the tries of B, the synthesis and the summary.
        expect((await fixture.gateway.calls()) - before).to.equal(2 + tries + 2);
      });
    }

    it("forgets a failed try once the step has succeeded", async () => {
      await refuse("22P02");
      const id = await fixture.executor.insert({ stages: [["A", "B"]] });
      const { end } = await fixture.begin(id);
      await until("a try has failed", async () => {
        const [row] = await fixture.executor.query(
          `SELECT 1 FROM agent_executions
           WHERE session_id = $1 AND iteration_state->'unfinished_step'->>'failed_tries' = '1'`,
          [id],
        );
        return row !== undefined;
      });
      await fixture.executor.query("DELETE FROM refusing", []);
      expect(await end).to.equal("completed");
      expect(await statuses(id)).to.deep.equal(
        [1, 2, 3].map((n) => ({ n, status: "completed", error_code: null })),
      );
    });
  });
});
