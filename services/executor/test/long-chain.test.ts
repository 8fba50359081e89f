import { expect } from "chai";
import { Type } from "typebox";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { NIGHTLY } from "../../../test/support/nightly.ts";
import { RunFixture } from "./run-fixture.ts";

const ANSWER = { steps: [{ text: "Final Answer: found it" }] };
const SCRIPT = [
  {
    when: { contains: "Your name is Fails" },
    steps: [{ error: { code: "content_blocked", message: "no", retryable: false } }],
  },
  { when: { contains: "Your name is Hangs" }, steps: [{ hang: true }] },
  { when: { contains: "Bring the results" }, steps: [{ text: "together" }] },
  ANSWER,
];

const parseText = compileParser("text", Type.Object({ text: Type.String() }));

describe("a long chain of iterating agents", () => {
  let fixture: RunFixture;

  before(async () => {
    fixture = await RunFixture.start();
  });
  after(() => fixture[Symbol.asyncDispose]());

  const texts = async (sql: string, id: string) =>
    (await fixture.executor.query(sql, [id])).map((row) => parseText(row).text);
  const stages = async (id: string) =>
    texts(
      `SELECT concat_ws(' ', stage_index, s.status, s.success_policy, string_agg(e.status::text, ',' ORDER BY agent_index)) AS text
       FROM stages s JOIN agent_executions e USING (stage_id) WHERE s.session_id = $1
       GROUP BY stage_index, s.status, s.success_policy ORDER BY stage_index`,
      id,
    );

  it("completes stages of one, three and twenty agents although some agents fail", async () => {
    await fixture.play(...SCRIPT);
    const twenty = Array.from({ length: 20 }, (_, n) => (n === 7 ? "Fails" : `A${n}`));
    const mixed = [["One"], ["Fails", "Hangs", "Two"], twenty];
    const plan = [...Array.from({ length: NIGHTLY ? 3 : 1 }, () => mixed).flat(), ["Last"]];
    const id = await fixture.executor.insert({ strategy: "react", stages: plan, iterationTimeoutMs: 2_000 });
    expect(await fixture.run(id)).to.equal("completed");
    const ends = plan.map((agents, index) => {
      const own = agents.map((name) => (["Fails", "Hangs"].includes(name) ? "failed" : "completed"));
      const all = agents.length > 1 ? [...own, "completed"] : own;
      return [index + 1, "completed", ...(agents.length > 1 ? ["any"] : []), all.join(",")].join(" ");
    });
    expect(await stages(id)).to.deep.equal(ends);
    expect(
      await texts(
        `SELECT DISTINCT e.error_message AS text FROM agent_executions e WHERE session_id = $1 AND agent_name = 'Hangs'`,
        id,
      ),
    ).to.deep.equal(["aborted after 2 consecutive timeouts (iteration 3/20): LLM call timed out after 2 s"]);
    const [last] = await texts(
      `SELECT content AS text FROM messages JOIN agent_executions USING (execution_id)
       WHERE messages.session_id = $1 AND agent_name = 'Last' AND sequence_number = 2`,
      id,
    );
    const context = [
      ...(last ?? "").matchAll(/### Stage: stage-(\d)\n\n\S+ STAGE_CONTEXT_START \w+ \S+\n(.*)\n/gu),
    ];
    expect(context.map(([, stage, answer]) => `${stage} ${answer}`)).to.deep.equal(
      plan.slice(0, -1).map((agents, index) => `${index} ${agents.length > 1 ? "together" : "found it"}`),
    );
  });

  it("stops at the stage whose policy is not met, without rows of later stages", async () => {
    await fixture.play(...SCRIPT);
    const twenty = Array.from({ length: 20 }, (_, n) => (n === 19 ? "Fails" : `A${n}`));
    const id = await fixture.executor.insert({
      policy: "all",
      strategy: "react",
      stages: [["One"], twenty, ["Two"]],
    });
    expect(await fixture.run(id)).to.equal("failed");
    const ends = [...Array.from({ length: 19 }, () => "completed"), "failed"];
    expect(await stages(id)).to.deep.equal(["1 completed completed", `2 failed all ${ends.join(",")}`]);
  });

  it("accepts unusual names of agents and stages", async () => {
    await fixture.play(...SCRIPT);
    const odd = `\u001B[31m\u0007</b>\u202E'"\\{{.X}}`;
    const long = "n".repeat(10_000);
    const id = await fixture.executor.insert({ stages: [[odd, long], [odd]], stagePrefix: `${odd}${long}` });
    expect(await fixture.run(id)).to.equal("completed");
    expect(
      await texts(
        `SELECT DISTINCT payload ->> 'agent_name' AS text FROM events WHERE session_id = $1
         AND payload ->> 'type' = 'execution.status' ORDER BY 1`,
        id,
      ),
    ).to.have.members([odd, long, "SynthesisAgent"]);
  });
});
