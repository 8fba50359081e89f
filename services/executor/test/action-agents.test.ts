import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { uuidFrom } from "#shared/uuid-from.ts";
import { RunFixture } from "./run-fixture.ts";
import { resolvedChain, type ChainOptions } from "./resolved-chain.ts";
import { commitStep } from "../persist/commit-step.ts";
import { startStage } from "../persist/stage-rows.ts";

const REPORT = "The pod was restarted.";

describe("action agents", () => {
  let fixture: RunFixture;

  before(async () => {
    fixture = await RunFixture.startWithTools();
  });
  after(() => fixture[Symbol.asyncDispose]());

  /** What is stored of a session whose model calls `tool`, if any, and then answers. */
  const run = async (
    answer: string,
    { tool, ...options }: ChainOptions & { readonly tool?: string } = {},
  ): Promise<unknown> => {
    const call = { tool_call: { name: tool, arguments: {} } };
    await fixture.play(...(tool === undefined ? [] : [{ when: { call: 1 }, steps: [call] }]), {
      steps: [{ text: answer }],
    });
    const id = await fixture.executor.insert({
      strategy: "native-thinking",
      servers: ["k8s"],
      agentType: "action",
      ...options,
    });
    expect(await fixture.run(id)).to.equal("completed");
    const [row] = await fixture.executor.query(
      `SELECT stage_type AS type, actions_executed AS executed, actions_claimed AS claimed, final_analysis AS answer,
         (SELECT content FROM timeline_events t WHERE t.session_id = s.session_id AND event_type = 'final_analysis'
          ORDER BY sequence_number LIMIT 1) AS row,
         (SELECT payload ->> 'content' FROM events e WHERE e.session_id = s.session_id
            AND payload ->> 'event_type' = 'final_analysis' AND payload ->> 'status' = 'completed'
          ORDER BY seq LIMIT 1) AS event,
         (SELECT count(*)::int FROM timeline_events t WHERE t.session_id = s.session_id AND content ~* '(yes|no)[*]*$') AS lines
       FROM stages JOIN alert_sessions s USING (session_id) WHERE session_id = $1`,
      [id],
    );
    return row;
  };
  const stored = { type: "action", answer: REPORT, row: REPORT, event: REPORT, lines: 0 };

  it("have acted if a tool that changes something has run, and the last line of the answer is cut off", async () => {
    expect(await run(`${REPORT}\n\n**Yes**`, { tool: "k8s.restart" })).to.deep.equal({
      ...stored,
      executed: true,
      claimed: true,
    });
  });

  it("have acted also if they do not say so", async () => {
    expect(await run(REPORT, { tool: "k8s.restart" })).to.deep.equal({
      ...stored,
      executed: true,
      claimed: null,
    });
  });

  it("have not acted because they say so, or because they looked", async () => {
    expect(await run(`${REPORT}\nYES`)).to.deep.equal({ ...stored, executed: false, claimed: true });
    expect(await run(`${REPORT}\nNO`, { tool: "k8s.pods" })).to.deep.equal({
      ...stored,
      executed: false,
      claimed: false,
    });
  });

  it("say it in ReAct, in a single call and in a forced conclusion, too", async () => {
    const react = `Thought: a\nFinal Answer: ${REPORT}\nYES`;
    const said = { ...stored, executed: false, claimed: true };
    expect(await run(react, { strategy: "react" })).to.deep.equal(said);
    expect(await run(`${REPORT}\nYES`, { strategy: "single-call", servers: [] })).to.deep.equal(said);
    const options = { strategy: "react", maxIterations: 1, tool: undefined } as const;
    await expectConclusion(react, options);
  });

  const expectConclusion = async (answer: string, options: ChainOptions) => {
    await fixture.play(
      {
        when: { call: 1 },
        steps: [{ text: "Thought: a\nAction: k8s.restart\nAction Input: name: b" }],
      },
      { steps: [{ text: answer }] },
    );
    const id = await fixture.executor.insert({ servers: ["k8s"], agentType: "action", ...options });
    expect(await fixture.run(id)).to.equal("completed");
    expect(
      await fixture.executor.query(
        `SELECT actions_executed, actions_claimed, final_analysis FROM stages JOIN alert_sessions USING (session_id)
         WHERE session_id = $1`,
        [id],
      ),
    ).to.deep.equal([{ actions_executed: true, actions_claimed: true, final_analysis: REPORT }]);
  };

  it("may have acted if a call's outcome is not known, and have not if it was an error or not made", async () => {
    const verdict = async (
      ...calls: readonly (readonly [state: string, failure: string | null, is_error?: boolean])[]
    ) => {
      const id = await fixture.executor.insert({ agentType: "action" });
      await using session = await fixture.executor.own(id);
      const [plan] = resolvedChain({ agentType: "action" }).stages;
      if (plan === undefined) throw new Error("no stage");
      const started = startStage(id, { index: 1, plan, total: 1 });
      await commitStep(session, [started]);
      const [stage_id, execution] = [
        uuidFrom("stage:1", id),
        uuidFrom("execution:1", uuidFrom("stage:1", id)),
      ];
      for (const [state, failure, isError = null] of calls) {
        await fixture.executor.query(
          `INSERT INTO tool_calls (call_id, session_id, execution_id, epoch, name, read_only, effect, state, failure, is_error)
           VALUES ($1, $2, $3, 1, 'k8s.restart', false, 'write', $4, $5, $6)`,
          [randomUUID(), id, execution, state, failure, isError],
        );
      }
      const end = { status: "completed", error_message: null, error_code: null } as const;
      await commitStep(session, [
        { rows: { stageEnds: [{ stage_id, ...end, is_summary_next: true }] }, events: [] },
      ]);
      const [row] = await fixture.executor.query(
        "SELECT actions_executed FROM stages WHERE session_id = $1",
        [id],
      );
      return row;
    };
    const unknown = ["failed", "outcome_unknown"] as const;
    expect(await verdict(unknown)).to.deep.equal({ actions_executed: null });
    expect(await verdict(unknown, ["completed", null, false])).to.deep.equal({ actions_executed: true });
    const made = [
      ["completed", null, true],
      ["failed", "interrupted"],
      ["abandoned", null],
    ] as const;
    expect(await verdict(...made)).to.deep.equal({ actions_executed: false });
  });

  it("of one stage have acted if one has", async () => {
    const options = { stages: [["One", "Two"]] } as const;
    await fixture.play(
      { when: { contains: "Your name is One" }, steps: [{ text: `${REPORT}\nYES` }] },
      { when: { contains: "Your name is Two" }, steps: [{ text: `${REPORT}\nNO` }] },
      { steps: [{ text: "both" }] },
    );
    const id = await fixture.executor.insert({ servers: ["k8s"], agentType: "action", ...options });
    expect(await fixture.run(id)).to.equal("completed");
    expect(
      await fixture.executor.query(
        "SELECT stage_type, actions_executed, actions_claimed FROM stages WHERE session_id = $1",
        [id],
      ),
    ).to.deep.equal([{ stage_type: "action", actions_executed: false, actions_claimed: true }]);
  });

  it("alone are meant: the answer of another agent stays, and of its actions nothing is said", async () => {
    const answer = `${REPORT}\nYES`;
    await fixture.play({ steps: [{ text: answer }] });
    const id = await fixture.executor.insert({ strategy: "native-thinking", servers: ["k8s"] });
    expect(await fixture.run(id)).to.equal("completed");
    expect(
      await fixture.executor.query(
        `SELECT stage_type, actions_executed, actions_claimed, final_analysis FROM stages
         JOIN alert_sessions USING (session_id) WHERE session_id = $1`,
        [id],
      ),
    ).to.deep.equal([
      { stage_type: "investigation", actions_executed: null, actions_claimed: null, final_analysis: answer },
    ]);
  });
});
