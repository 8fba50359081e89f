import { expect } from "chai";
import { INITIAL_ITERATION_STATE, type IterationState } from "#shared/contracts/iteration-state.ts";
import type { Message } from "#shared/database/tables/messages.ts";
import type { AgentState } from "../core/agent-state.ts";
import { nextAgentStep } from "../controllers/next-agent-step.ts";
import { FEATURES } from "../features/features.ts";
import { resolvedAgent } from "./resolved-chain.ts";
import { NONCE } from "./prompt-fixtures.ts";

function message(role: Message["role"], sequence_number: number): Message {
  return {
    message_id: `message-${sequence_number}`,
    session_id: "session",
    stage_id: "stage",
    execution_id: "execution",
    sequence_number,
    role,
    content: "text",
    tool_calls: null,
    tool_call_id: null,
    tool_name: null,
    provider_state: null,
    created_at: new Date(0),
    seq: null,
  };
}

function step(roles: readonly Message["role"][], iteration: Partial<IterationState> = {}) {
  const state: AgentState = {
    agent: resolvedAgent(),
    alert: {
      data: "disk full",
      alertType: "test",
      runbookUrl: null,
      nonce: NONCE,
    },
    chain: { mcp_server_instructions: {}, default_runbook: "" },
    previous: [],
    parallel: null,
    skills: [],
    memories: [],
    context: null,
    chat: null,
    judged: null,
    tools: [],
    offer: null,
    messages: roles.map((role, index) => message(role, index + 1)),
    steering: [],
    evidence: null,
    iteration: { ...INITIAL_ITERATION_STATE, ...iteration },
  };
  return nextAgentStep(state, FEATURES);
}

describe("singleCall", () => {
  it("opens the conversation, calls once and finishes, deciding from the rows alone", () => {
    expect(step([])).to.have.nested.property("messages.length", 2);
    expect(step(["system", "user"])).to.deep.equal({
      kind: "call-llm",
      interaction: "iteration",
      style: "final-answer",
      tools: [],
      afterFailure: null,
      thinkingMayAnswer: false,
    });
    expect(step(["system", "user", "assistant"])).to.deep.equal({
      kind: "finish",
      status: "completed",
      errorMessage: null,
      errorCode: null,
      answer: null,
    });
  });

  it("fails with the error of the call, or times out with it", () => {
    const failed = { iteration: 1, last_failed: true, last_error: "no", last_error_code: "overloaded" };
    const end = { kind: "finish", errorMessage: "no", errorCode: "overloaded", answer: null };
    expect(step(["system", "user"], failed)).to.deep.equal({ ...end, status: "failed" });
    expect(step(["system", "user"], { ...failed, consecutive_timeouts: 1 })).to.deep.equal({
      ...end,
      status: "timed_out",
    });
  });
});
