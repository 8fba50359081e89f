import { expect } from "chai";
import { v5 as uuidFrom } from "uuid";
import { RunFixture } from "./run-fixture.ts";
import { installLeaseLoss } from "./lease-loss.ts";
import { ToolRunnerFixture } from "./tool-runner-fixture.ts";

const SCRIPT = [
  { when: { contains: "Bring the results" }, steps: [{ text: "both agree" }] },
  {
    when: { call: 1, contains: "k8s.pods" },
    steps: [{ text: "Thought: look\nAction: k8s.pods\nAction Input: n: 1" }],
  },
  { steps: [{ text: "Final Answer: found it" }] },
];

/** Rejects the messages of a stage's second agent as long as the table `refusing` exists. */
const REFUSE_SECOND = `
CREATE TABLE refusing ();
CREATE FUNCTION refuse_second() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF to_regclass('refusing') IS NOT NULL
     AND EXISTS (SELECT FROM agent_executions WHERE execution_id = NEW.execution_id AND agent_index = 2) THEN
    RAISE EXCEPTION 'not this one';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER refuse_second BEFORE INSERT ON messages FOR EACH ROW EXECUTE FUNCTION refuse_second();`;

describe("runExecutions", () => {
  const resources = new AsyncDisposableStack();
  let fixture: RunFixture;

  before(async () => {
    fixture = resources.use(await RunFixture.start());
    resources.use(await ToolRunnerFixture.start(fixture.executor.servers));
    await fixture.play(...SCRIPT);
  });
  after(() => resources.disposeAsync());

  const statuses = async (id: string) =>
    fixture.executor.query(
      "SELECT agent_index AS n, status, error_code FROM agent_executions WHERE session_id = $1 ORDER BY agent_index",
      [id],
    );

  it("fails only the agent that has a terminal error", async () => {
    const id = await fixture.executor.insert({ strategy: "react", servers: ["k8s"], stages: [["A", "B"]] });
    const second = uuidFrom("execution:2", uuidFrom("stage:0", id));
    // The owner loses the lease after the stage's rows are written; the first write was the claim.
    const loseLeaseAtWrite = await installLeaseLoss(fixture.executor);
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

  it("lets the other agents finish their step after an unexpected error, and continues later", async () => {
    await fixture.executor.query(REFUSE_SECOND, []);
    const id = await fixture.executor.insert({ stages: [["A", "B", "C"]], maxParallel: 2 });
    expect(await fixture.run(id)).to.equal("deferred");
    expect(await fixture.executor.row("session_runtime", "attempts, lease_owner", id)).to.deep.equal({
      attempts: 1,
      lease_owner: null,
    });
    expect(await statuses(id), "no agent starts another step").to.deep.equal(
      ["active", "active", "pending"].map((status, n) => ({ n: n + 1, status, error_code: null })),
    );
    await fixture.executor.query("DROP TABLE refusing", []);
    await fixture.executor.query("UPDATE session_runtime SET not_before = NULL WHERE session_id = $1", [id]);
    expect(await fixture.run(id)).to.equal("completed");
    expect(await statuses(id)).to.deep.equal(
      [1, 2, 3, 4].map((n) => ({ n, status: "completed", error_code: null })),
    );
    const calls = await fixture.executor.query(
      "SELECT agent_index AS n FROM llm_interactions JOIN agent_executions USING (execution_id) WHERE llm_interactions.session_id = $1 ORDER BY 1",
      [id],
    );
    expect(calls, "one call each, and the summary").to.deep.equal([1, 2, 3, 4, 4].map((n) => ({ n })));
  });
});
