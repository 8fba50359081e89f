import { expect } from "chai";
import { MAX_CALLS_PER_ANSWER } from "#shared/contracts/tool-call.ts";
import { STEP } from "../../../test/support/nightly.ts";
import { RunFixture } from "./run-fixture.ts";
import { answerTurn, callStep, callTurn, type Strategy } from "./scripted-turns.ts";
import { installLeaseLoss } from "./lease-loss.ts";
import { ToolRunnerFixture } from "./tool-runner-fixture.ts";

const TOOL_CALLS = 10;
const TOO_MANY_CALLS = MAX_CALLS_PER_ANSWER + 8;

/** The calls of tools of an answer. */
const callsOf = (names: readonly string[], more: object = {}) =>
  names.map((name, n) => callStep("native-thinking", `k8s.${name}`, { n, ...more }));

interface Case {
  readonly name: string;
  readonly strategy: Strategy;
  /** How many tool calls are carried out. */
  readonly toolCalls: number;
  readonly script: readonly object[];
}

const CASES: readonly Case[] = [
  {
    name: "react",
    strategy: "react",
    toolCalls: TOOL_CALLS,
    script: [
      ...Array.from({ length: TOOL_CALLS }, (_, index) =>
        callTurn("react", index + 1, "k8s.pods", { n: index + 1 }),
      ),
      answerTurn("react"),
    ],
  },
  {
    name: "native-thinking",
    strategy: "native-thinking",
    toolCalls: TOOL_CALLS,
    script: [
      ...Array.from({ length: TOOL_CALLS / 2 }, (_, index) => ({
        when: { call: index + 1 },
        steps: [{ thinking: `step ${index + 1}` }, ...callsOf(["pods", "restart"], { index })],
      })),
      answerTurn("native-thinking"),
    ],
  },
  {
    name: "native-thinking with too many calls in an answer",
    strategy: "native-thinking",
    toolCalls: MAX_CALLS_PER_ANSWER,
    script: [
      { when: { call: 1 }, steps: callsOf(Array.from({ length: TOO_MANY_CALLS }, () => "pods")) },
      answerTurn("native-thinking"),
    ],
  },
];

describe("an investigation whose executor dies", () => {
  const resources = new AsyncDisposableStack();
  let fixture: RunFixture;
  let tools: ToolRunnerFixture;
  let loseLeaseAtWrite: Awaited<ReturnType<typeof installLeaseLoss>>;

  before(async () => {
    fixture = resources.use(await RunFixture.start());
    tools = resources.use(await ToolRunnerFixture.start(fixture.executor.servers));
    loseLeaseAtWrite = await installLeaseLoss(fixture.executor);
  });
  after(() => resources.disposeAsync());

  /** All rows of a session without ids, times and durations. */
  const rows = async (id: string) => ({
    timeline: await fixture.timelineRows(id),
    messages: await fixture.executor.query(
      `SELECT role, content, tool_name,
              (SELECT json_agg(call - 'id') FROM jsonb_array_elements(tool_calls) AS call) AS calls
       FROM messages WHERE session_id = $1 ORDER BY sequence_number`,
      [id],
    ),
    outcomes: await fixture.outcomes(id),
    interactions: await fixture.executor.query(
      `SELECT interaction_type::text, llm_request::text FROM llm_interactions WHERE session_id = $1
       UNION ALL SELECT interaction_type::text, coalesce(tool_arguments, available_tools)::text
       FROM mcp_interactions WHERE session_id = $1 ORDER BY 1, 2`,
      [id],
    ),
    log: await fixture.eventLog(id),
    iterations: await fixture.executor.query(
      "SELECT iteration_state ->> 'iteration' AS n FROM agent_executions WHERE session_id = $1",
      [id],
    ),
  });

  for (const { name, strategy, toolCalls, script } of CASES) {
    it(`ends with the same rows and repeats no tool call, after whichever write it dies: ${name}`, async function () {
      this.timeout(300_000);
      await fixture.play(...script);
      const options = { strategy, servers: ["k8s"] };
      const undisturbed = await fixture.executor.insert(options);
      let called = await tools.calls();
      expect(await fixture.run(undisturbed)).to.equal("completed");
      const expected = await rows(undisturbed);
      expect(await tools.calls()).to.equal(called + toolCalls);

      let writes = 1 - STEP;
      for (let end: unknown = "lost"; end === "lost";) {
        writes += STEP;
        const id = await fixture.executor.insert(options);
        await loseLeaseAtWrite(id, writes);
        end = await fixture.run(id);
        if (end === "lost") expect(await fixture.run(id), `after write ${writes}`).to.equal("completed");
        expect(await rows(id), `after write ${writes}`).to.deep.equal(expected);
        expect(await tools.calls(), `after write ${writes}`).to.equal((called += toolCalls) + toolCalls);
      }
      expect(writes).to.be.greaterThan(toolCalls);
    });
  }
});
