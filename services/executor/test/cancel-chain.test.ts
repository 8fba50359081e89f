import { expect } from "chai";
import { Type } from "typebox";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { CancelledError } from "#shared/errors.ts";
import { until } from "../../../test/support/until.ts";
import type { ChainOptions } from "./resolved-chain.ts";
import { RunFixture } from "./run-fixture.ts";
import { ToolRunnerFixture } from "./tool-runner-fixture.ts";

const AGENTS = ["Ann", "Ben", "Cem"];
const SUMMARY = { contains: "summaries of incident analyses" };
const SYNTHESIS = { contains: "Bring the results" };
const HANG = [{ text: "so far" }, { hang: true }];
const ANSWER = { steps: [{ text: "Final Answer: found it" }] };
const USE = (tool: string) => ({
  when: { call: 1 },
  steps: [{ text: `Thought: look\nAction: k8s.${tool}\nAction Input: n: 1` }],
});

/** The state of a chain when it is cancelled. */
interface Moment {
  readonly what: string;
  readonly script: readonly object[];
  readonly options: ChainOptions;
  /** True once the chain is in this state. */
  readonly reached: (observed: Observed) => boolean;
  /** LLM and tool calls made so far; none may follow. */
  readonly calls: { readonly llm: number; readonly tools: number };
  /** LLM calls that may begin between this state and the cancel. */
  readonly lateCalls?: number;
}

/** What the test observes of a session, the gateway and the tools. */
interface Observed {
  readonly running: number;
  /** LLM calls that have ended since its start. */
  readonly llm: number;
  readonly tools: number;
  readonly active: number;
  readonly failedCalls: number;
}

const MOMENTS: readonly Moment[] = [
  {
    what: "while the models of its agents answer",
    script: [{ steps: HANG }],
    options: { stages: [AGENTS] },
    reached: ({ running }) => running === 3,
    calls: { llm: 3, tools: 0 },
  },
  {
    what: "while agents wait for a slot",
    script: [{ steps: HANG }],
    options: { stages: [AGENTS], maxParallel: 1 },
    reached: ({ running }) => running === 1,
    calls: { llm: 1, tools: 0 },
  },
  {
    what: "while the tools of its agents run",
    script: [USE("hang")],
    options: { stages: [AGENTS], strategy: "react", servers: ["k8s"] },
    reached: ({ tools }) => tools === 3,
    calls: { llm: 3, tools: 3 },
  },
  {
    what: "while agents wait before a retry",
    script: [{ steps: [{ error: { code: "provider_error", message: "not now", retryable: true } }] }],
    options: { stages: [AGENTS], strategy: "react" },
    // A third try may have failed before this is seen.
    reached: ({ failedCalls }) => failedCalls >= 6,
    calls: { llm: 6, tools: 0 },
    // The next try of each agent may have begun.
    lateCalls: 3,
  },
  {
    what: "during the synthesis",
    script: [{ when: SYNTHESIS, steps: HANG }, USE("pods"), ANSWER],
    options: { stages: [AGENTS, AGENTS], strategy: "react", servers: ["k8s"] },
    // The last agent, too, is one call of one active execution when the others have ended.
    reached: ({ llm, running }) => llm === 6 && running === 1,
    calls: { llm: 7, tools: 3 },
  },
  {
    what: "during the summary",
    script: [{ when: SUMMARY, steps: HANG }, ANSWER],
    options: { stages: [["Ann"]], strategy: "react" },
    // The call that runs while the agent's own has ended.
    reached: ({ llm, running, active }) => llm === 1 && running === 1 && active === 0,
    calls: { llm: 2, tools: 0 },
  },
];

const parseStatus = compileParser("status", Type.Object({ status: Type.String() }));

const OPEN = `
SELECT 'session' AS what FROM alert_sessions WHERE session_id = $1 AND status NOT IN ('completed', 'cancelled', 'timed_out', 'failed')
UNION ALL SELECT 'stage' FROM stages WHERE session_id = $1 AND status IN ('pending', 'active')
UNION ALL SELECT 'execution' FROM agent_executions WHERE session_id = $1 AND status IN ('pending', 'active')
UNION ALL SELECT 'row' FROM timeline_events WHERE session_id = $1 AND status = 'streaming'
UNION ALL SELECT 'end of ' || (payload ->> 'event_id') FROM events WHERE session_id = $1
  AND payload ->> 'type' = 'timeline_event.created' AND payload ->> 'status' = 'streaming'
  AND NOT EXISTS (SELECT FROM events e WHERE e.session_id = $1 AND e.payload ->> 'type' = 'timeline_event.completed'
                  AND e.payload ->> 'event_id' = events.payload ->> 'event_id')
UNION ALL SELECT 'no number ' || seq FROM (SELECT seq, row_number() OVER (ORDER BY seq) AS n FROM events WHERE session_id = $1) e
  WHERE seq <> n
UNION ALL SELECT 'ends of ' || execution_id FROM agent_executions a WHERE session_id = $1 AND 1 <> (
  SELECT count(*) FROM events WHERE session_id = $1 AND payload ->> 'type' = 'execution.status'
  AND payload ->> 'execution_id' = a.execution_id::text AND payload ->> 'status' <> 'active')`;

describe("a chain that is cancelled, times out or is released", () => {
  const resources = new AsyncDisposableStack();
  let fixture: RunFixture;
  let tools: ToolRunnerFixture | undefined;
  let calledBefore = { llm: 0, tools: 0 };
  let calledAtReach = { llm: 0, tools: 0 };

  before(async () => {
    fixture = resources.use(await RunFixture.start());
  });
  after(() => resources.disposeAsync());

  const called = async () => ({
    llm: await fixture.gateway.calls(),
    tools: (await tools?.calls()) ?? 0,
  });
  const count = async (sql: string, id: string) => (await fixture.executor.query(sql, [id])).length;

  /** Runs a session until it is in the given state. */
  const reach = async ({ what, script, options, reached }: Moment) => {
    await fixture.playExactly(...script);
    calledBefore = await called();
    const id = await fixture.executor.insert(options);
    const run = await fixture.begin(id);
    await until(what, async () => {
      const now = await called();
      return reached({
        running: await fixture.gateway.running(),
        llm: now.llm - calledBefore.llm,
        tools: now.tools - calledBefore.tools,
        active: await count("SELECT FROM agent_executions WHERE session_id = $1 AND status = 'active'", id),
        failedCalls: await count(
          "SELECT FROM llm_interactions WHERE session_id = $1 AND error_code IS NOT NULL",
          id,
        ),
      });
    });
    calledAtReach = await called();
    return { id, ...run };
  };

  /** Expects that nothing is left open and that no call was started after the given state. */
  const expectEnd = async (id: string, { calls, lateCalls = 0 }: Pick<Moment, "calls" | "lateCalls">) => {
    expect(await fixture.executor.query(OPEN, [id])).to.deep.equal([]);
    await until("the gateway has ended the calls", async () => (await fixture.gateway.running()) === 0);
    const { llm, tools: toolCalls } = await called();
    expect(toolCalls).to.equal(calledBefore.tools + calls.tools);
    // A retry may have begun before the state was seen.
    const least = Math.max(calledBefore.llm + calls.llm, calledAtReach.llm);
    expect(llm).to.be.within(least, least + lateCalls);
  };

  const statuses = async (id: string) => (await fixture.outcomes(id)).map((row) => parseStatus(row).status);

  it("ends cancelled while its agents list their tools and no tool-runner answers", async () => {
    const moment: Moment = {
      what: "three agents list their tools",
      script: [ANSWER],
      options: { stages: [AGENTS], strategy: "react", servers: ["k8s"] },
      reached: ({ active }) => active === 3,
      calls: { llm: 0, tools: 0 },
    };
    const { id, end } = await reach(moment);
    await fixture.executor.cancel(id);
    fixture.stop(id, "user");
    expect(await end).to.equal("cancelled");
    expect(new Set(await statuses(id))).to.deep.equal(new Set(["cancelled"]));
    await expectEnd(id, moment);
  });

  it("ends cancelled with a complete summary, by a cancel without a message", async () => {
    const moment: Moment = {
      what: "the summary is generated",
      script: [{ when: SUMMARY, steps: [{ text: "In" }, { delay: "3s" }, { text: " short." }] }, ANSWER],
      options: { strategy: "react" },
      reached: ({ running, active }) => active === 0 && running === 1,
      calls: { llm: 2, tools: 0 },
    };
    const { id, end } = await reach(moment);
    await fixture.executor.cancel(id);
    expect(await end).to.equal("cancelled");
    expect(
      await fixture.executor.row("alert_sessions", "final_analysis, executive_summary", id),
    ).to.deep.equal({ final_analysis: "found it", executive_summary: null });
    await expectEnd(id, moment);
  });

  describe("with a tool-runner", () => {
    before(async () => {
      tools = resources.use(await ToolRunnerFixture.start(fixture.executor.servers));
    });

    for (const moment of MOMENTS) {
      it(`ends cancelled ${moment.what}`, async () => {
        const { id, end } = await reach(moment);
        await fixture.executor.cancel(id);
        fixture.stop(id, "user");
        expect(await end).to.equal("cancelled");
        expect((await statuses(id))[0]).to.equal("cancelled");
        await expectEnd(id, moment);
      });

      it(`ends at its deadline ${moment.what}`, async () => {
        const { id, end } = await reach(moment);
        fixture.stop(id, "session_deadline");
        // A missing summary does not discard the analysis.
        const status = moment.what.includes("summary") ? "completed" : "timed_out";
        expect(await end).to.equal(status);
        expect((await statuses(id))[0]).to.equal(status);
        await expectEnd(id, moment);
      });

      it(`is released ${moment.what}, and nothing recorded is repeated`, async () => {
        const { id, stop: stopRun, abort, end } = await reach(moment);
        stopRun.abort(new CancelledError("shutdown", "stopped by SIGTERM"));
        abort.abort(stopRun.signal.reason);
        expect(await end).to.equal("released");
        expect(await fixture.executor.row("session_runtime", "attempts, lease_owner", id)).to.deep.equal({
          attempts: 0,
          lease_owner: null,
        });
        const recorded = await recordedRows(id);
        await fixture.play({ when: SYNTHESIS, steps: [{ text: "all agree" }] }, ANSWER);
        // The tools hang on.
        expect(await fixture.run(id, { toolCallMs: 2_000 })).to.equal("completed");
        expect(await recordedRows(id)).to.include.deep.members(recorded);
        expect(await fixture.executor.query(OPEN, [id])).to.deep.equal([]);
      });
    }
  });

  const recordedRows = async (id: string) =>
    fixture.executor.query(
      `SELECT interaction_id, created_at FROM llm_interactions WHERE session_id = $1
       UNION ALL SELECT interaction_id, created_at FROM mcp_interactions WHERE session_id = $1
       UNION ALL SELECT message_id, created_at FROM messages WHERE session_id = $1`,
      [id],
    );
});
