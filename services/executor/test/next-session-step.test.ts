import { expect } from "chai";
import { TerminalError } from "#shared/errors.ts";
import type { RunStatus, SessionStatus, SuccessPolicy } from "#shared/contracts/statuses.ts";
import { INITIAL_ITERATION_STATE } from "#shared/contracts/iteration-state.ts";
import type { AgentExecution } from "#shared/database/tables/agent-executions.ts";
import type { Stage } from "#shared/database/tables/stages.ts";
import { nextSessionStep } from "../next-session-step.ts";
import type { SessionState } from "../state/session-state.ts";
import { resolvedChain } from "./resolved-chain.ts";
import { INPUT } from "./prompt-fixtures.ts";

interface Given {
  readonly status?: SessionStatus;
  /** Names of the agents of each planned stage. */
  readonly plan?: readonly (readonly string[])[];
  readonly policy?: SuccessPolicy;
  /** For each stage with rows: its status, then the status of each execution. */
  readonly rows?: readonly (readonly [RunStatus, ...RunStatus[]])[];
  /** Answers by execution, e.g. "0.1" for the first agent of the first stage. */
  readonly answers?: Readonly<Record<string, string>>;
}

const UNTOUCHED = { started_at: null, completed_at: null, duration_ms: null } as const;
const NO_TOKENS = {
  input_tokens: 0,
  output_tokens: 0,
  thinking_tokens: 0,
  total_tokens: 0,
  cached_input_tokens: 0,
  estimated_cost_usd: 0,
  priced_interaction_count: 0,
  unpriced_interaction_count: 0,
  unpriced_tokens: 0,
} as const;

function errorOf(status: RunStatus, name: string) {
  const ended = status !== "completed" && status !== "pending" && status !== "active";
  return {
    error_message: ended ? `${name} ${status}` : null,
    error_code: ended ? `code_of_${name}` : null,
  };
}

function stageRow(index: number, status: RunStatus, policy: SuccessPolicy | null): Stage {
  return {
    stage_id: String(index),
    session_id: "session",
    stage_name: `stage-${index}`,
    stage_index: index + 1,
    expected_agent_count: 1,
    parallel_type: null,
    success_policy: policy,
    stage_type: "investigation",
    actions_executed: null,
    actions_claimed: null,
    status,
    ...UNTOUCHED,
    ...errorOf(status, `stage-${index}`),
    chat_id: null,
    chat_user_message_id: null,
  };
}

function executionRow(
  stage: number,
  agent: number,
  status: RunStatus,
): Omit<AgentExecution, "parent_execution_id" | "task" | "delivered_at" | "cancel_requested_at"> & {
  actions_claimed: null;
} {
  return {
    execution_id: `${stage}.${agent}`,
    stage_id: String(stage),
    session_id: "session",
    agent_name: "agent",
    agent_index: agent,
    status,
    ...UNTOUCHED,
    ...errorOf(status, `agent-${stage}.${agent}`),
    actions_claimed: null,
    iteration_strategy: "single-call",
    iteration_state: INITIAL_ITERATION_STATE,
    llm_provider: "scripted",
    llm_backend: null,
    model_name: null,
    original_llm_provider: null,
    original_llm_backend: null,
    original_model_name: null,
    ...NO_TOKENS,
    seq: null,
  };
}

function state({
  status = "in_progress",
  plan = [["A"]],
  policy,
  rows = [],
  answers = {},
}: Given): SessionState {
  const chain = resolvedChain({ stages: plan, ...(policy === undefined ? {} : { policy }) });
  return {
    sessionId: "session",
    alert: INPUT.alert,
    followUps: [],
    subAgents: [],
    inboxSeq: 0,
    status,
    chain,
    stages: rows.map(([own], index) =>
      stageRow(index, own, chain.stages[index]?.parallel_type === null ? null : (policy ?? "any")),
    ),
    executions: rows.flatMap(([, ...agents], stage) =>
      agents.map((agent, index) => executionRow(stage, index + 1, agent)),
    ),
    answers: new Map(Object.entries(answers)),
  };
}

const step = (given: Given) => nextSessionStep(state(given));
describe("nextSessionStep", () => {
  /** Ids of the executions that are to run now. */
  const running = (given: Given): string[] => {
    const found = step(given);
    expect(found).to.include({ kind: "run-executions" });
    return found.kind === "run-executions" ? found.runs.map(({ execution }) => execution.execution_id) : [];
  };

  it("starts the first stage, runs its unfinished agents and continues with the next stage", () => {
    const plan = [["A", "B"], ["C"]];
    expect(step({ plan })).to.deep.include({ kind: "start-stage", index: 1, total: 2 });
    expect(running({ plan, rows: [["active", "pending", "pending"]] })).to.deep.equal(["0.1", "0.2"]);
    expect(running({ plan, rows: [["active", "active", "pending"]] })).to.deep.equal(["0.1", "0.2"]);
    expect(running({ plan, rows: [["active", "failed", "active"]] })).to.deep.equal(["0.2"]);
    expect(step({ plan, rows: [["completed", "failed", "completed", "completed"]] })).to.deep.include({
      kind: "start-stage",
      index: 2,
      total: 2,
    });
  });

  it("runs each execution with its agent", () => {
    const found = step({ plan: [["A", "B"]], rows: [["active", "failed", "pending"]] });
    expect(found).to.have.nested.property("runs[0].agent.name", "B");
    expect(found).to.have.deep.property("synthesisInputs", []);
    expect(found).to.have.nested.property("stage.agents", 2);
  });

  it("gives a stage the answers of all earlier stages, for parallel agents that of the synthesis", () => {
    const found = step({
      plan: [["A", "Z"], ["B"], ["C"]],
      rows: [
        ["completed", "completed", "completed", "completed"],
        ["completed", "completed"],
        ["active", "pending"],
      ],
      answers: { "0.1": "no", "0.2": "neither", "0.3": "first", "1.1": "second", "2.1": "not earlier" },
    });
    expect(found).to.have.deep.property("previous", [
      { stageName: "stage-0", answer: "first", executionId: "0.3" },
      { stageName: "stage-1", answer: "second", executionId: "1.1" },
    ]);
  });

  it("asks the last execution's provider to summarise the last stage's answer", () => {
    const finished = step({
      plan: [["A"], ["B", "C"]],
      rows: [
        ["completed", "completed"],
        ["completed", "completed", "completed", "completed"],
      ],
      answers: { "0.1": "first", "1.1": "of an agent", "1.3": "second" },
    });
    expect(finished).to.include({ kind: "summarize", analysis: "second" });
    expect(finished).to.have.nested.property("author.execution.execution_id", "1.3");
    expect(finished).to.have.nested.property("author.agent.name", "SynthesisAgent");
  });

  it("finishes without a summary if the last stage has no answer", () => {
    const finished = step({
      plan: [["A"], ["B"]],
      rows: [
        ["completed", "completed"],
        ["completed", "completed"],
      ],
      answers: { "0.1": "first" },
    });
    expect(finished).to.deep.equal({
      kind: "finish",
      outcome: { status: "completed", errorMessage: null, errorCode: null },
      finalAnalysis: "first",
    });
  });

  it("ends the chain with the failing stage's status and the last answer", () => {
    for (const status of ["failed", "timed_out", "cancelled"] as const) {
      const finished = step({
        plan: [["A"], ["B"], ["C"]],
        rows: [
          ["completed", "completed"],
          [status, status],
        ],
        answers: { "0.1": "first" },
      });
      expect(finished).to.deep.equal({
        kind: "finish",
        outcome: { status, errorMessage: `stage-1 ${status}`, errorCode: "code_of_stage-1" },
        finalAnalysis: "first",
      });
    }
    expect(step({ rows: [["failed", "failed"]] })).to.include({ kind: "finish", finalAnalysis: null });
  });

  it("has no step for a terminal session and only the end for a cancelling one", () => {
    const rows: Given["rows"] = [["active", "active"]];
    expect(step({ status: "timed_out", rows })).to.deep.equal({ kind: "ended", status: "timed_out" });
    expect(step({ status: "cancelling", rows })).to.deep.equal({ kind: "stop-cancelling" });
    expect(step({ status: "cancelling", rows: [["completed", "completed"]] })).to.deep.equal({
      kind: "stop-cancelling",
    });
  });

  it("decides the same from the same rows", () => {
    const given: Given = { plan: [["A", "B"]], rows: [["active", "completed", "pending"]] };
    expect(step(given)).to.deep.equal(step(given));
  });

  describe("a stage of several agents", () => {
    const plan = [["A", "B"]];

    it("synthesises their results once the policy is met", () => {
      const found = step({ plan, rows: [["active", "failed", "completed"]] });
      expect(found).to.include({ kind: "start-synthesis" });
      expect(found).to.have.nested.property("agent.name", "SynthesisAgent");
      const open: Given = { plan, rows: [["active", "failed", "completed", "active"]] };
      expect(running(open)).to.deep.equal(["0.3"]);
      const synthesis = step(open);
      expect(synthesis).to.have.nested.property("synthesisInputs[0].execution.execution_id", "0.1");
      expect(synthesis).to.have.nested.property("synthesisInputs[1].execution.execution_id", "0.2");
      expect(synthesis).to.have.property("synthesisInputs").with.lengthOf(2);
    });

    it("ends with the outcome of its synthesis", () => {
      const rows = [["active", "failed", "completed", "completed"]] as const;
      const completed = {
        kind: "complete-stage",
        outcome: { status: "completed", errorMessage: null, errorCode: null },
      };
      const answers = { "0.3": "in short" };
      expect(step({ plan, rows, answers })).to.deep.include({ ...completed, isSummaryNext: true });
      // There is nothing to summarize.
      expect(step({ plan, rows })).to.deep.include({ ...completed, isSummaryNext: false });
      for (const status of ["failed", "timed_out"] as const) {
        expect(step({ plan, rows: [["active", "completed", "completed", status]] })).to.deep.include({
          kind: "complete-stage",
          outcome: { status, errorMessage: `agent-0.3 ${status}`, errorCode: "code_of_agent-0.3" },
        });
      }
    });

    it("completes the stage without a synthesis if the policy is not met", () => {
      expect(step({ plan, policy: "all", rows: [["active", "completed", "failed"]] })).to.deep.include({
        kind: "complete-stage",
        outcome: {
          status: "failed",
          errorMessage: "one or more agents failed: agent-0.2 failed",
          errorCode: "code_of_agent-0.2",
        },
      });
    });
  });

  it("rejects a stage that lacks the execution of one of its agents", () => {
    const plan = [["A", "B"]];
    for (const agents of [[], ["completed"], ["active"]] as const) {
      expect(() => step({ plan, rows: [["active", ...agents]] })).to.throw(
        TerminalError,
        `stage 1 has ${agents.length} of 2 executions`,
      );
    }
  });

  it("uses a single agent's outcome as the outcome of the stage", () => {
    expect(step({ rows: [["active", "timed_out"]] })).to.deep.include({
      kind: "complete-stage",
      outcome: { status: "timed_out", errorMessage: "agent-0.1 timed_out", errorCode: "code_of_agent-0.1" },
    });
  });
});
