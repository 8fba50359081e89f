import { expect } from "chai";
import { failedEntries } from "../session/failed-entries.ts";
import { laneErrors } from "../session/lane-errors.ts";
import { isSessionMessage, type SessionMessage } from "../session/session-message.ts";
import { finalAnalysis, lanesOf, openApprovals } from "../session/session-view.ts";
import { agent, at, created, fold, stage } from "./example-messages.ts";

const child = (execution_id: string, parent_execution_id: string, agent_index: number) => ({
  ...agent(execution_id, agent_index),
  parent_execution_id,
});
const call = created("c", "llm_tool_call", {
  content: '{"a":1}',
  metadata: { server_name: "k8s", tool_name: "pods" },
});
const result = created("r", "tool_result", {
  sequence_number: 2,
  metadata: { is_error: true, call_event_id: "c" },
});
const written = (event_id: string, event_type: string, sequence_number: number) =>
  created(event_id, event_type, { status: "streaming", content: "", sequence_number });
const chunk = (attempt: number, offset: number, delta: string): SessionMessage => ({
  type: "stream.chunk",
  session_id: "s",
  event_id: "t",
  attempt,
  offset,
  delta,
  timestamp: at(0),
});

describe("the fold of events", () => {
  it("puts what an agent has started behind it, and takes no conclusion from there", () => {
    const { view } = fold(
      stage,
      agent("x2", 2),
      agent("x1", 1),
      child("c2", "x1", 2),
      child("c3", "x2", 3),
      child("c1", "x1", 1),
      created("of the parent", "final_analysis"),
      created("of the child", "final_analysis", { execution_id: "c3", parent_execution_id: "x2" }),
    );
    expect(view.stages[0]?.lanes.map(({ executionId }) => executionId)).to.deep.equal([
      "x1",
      "c1",
      "c2",
      "x2",
      "c3",
    ]);
    expect(view.stages[0]?.synthesis).to.equal(undefined);
    expect(view.stages[0]?.lanes[1]?.parent).to.deep.equal({ executionId: "x1", agent: "agent 1" });
    expect(finalAnalysis(view)?.content).to.equal("of the parent");
  });

  it("has the newest conclusion that was checked, and the number of its event", () => {
    const checked = (claims_verified: number) => ({
      type: "conclusion.checked",
      status: "likely",
      claims_verified,
      claims_total: 2,
    });
    expect(fold(stage).view.conclusion).to.equal(undefined);
    const { view } = fold(stage, checked(1), agent("x1", 1), checked(2));
    expect(view.conclusion).to.deep.equal({ status: "likely", verified: 2, total: 2, seq: 4 });
  });

  it("names an agent also where an entry of it came before it began", () => {
    const task = created("t", "task_assigned", { execution_id: "c1", parent_execution_id: "x1" });
    const { view } = fold(stage, agent("x1", 1), task, child("c1", "x1", 1));
    const [, lane] = lanesOf(view);
    expect(lane).to.deep.include({ agent: "agent 1", index: 1, status: "active" });
    expect(lane?.parent).to.deep.equal({ executionId: "x1", agent: "agent 1" });
  });

  it("lists the takeovers of the session, and neither its agents nor its status change by one", () => {
    const { view } = fold(
      { type: "session.status", status: "in_progress" },
      stage,
      agent("x1", 1),
      { type: "session.taken_over", epoch: 2, silent_ms: 21_000 },
      { type: "session.taken_over", epoch: 3, silent_ms: 22_000 },
    );
    expect(view.takeovers).to.deep.equal([
      { at: at(3), silentMs: 21_000 },
      { at: at(4), silentMs: 22_000 },
    ]);
    expect(view.status).to.equal("in_progress");
    expect(lanesOf(view).map(({ status }) => status)).to.deep.equal(["active"]);
  });

  it("times a thought until the answer began, and a call without its wait", () => {
    const { view } = fold(
      stage,
      agent("x1", 1),
      written("t", "llm_thinking", 1),
      written("a", "llm_response", 2),
      { type: "session.status", status: "in_progress" },
      { type: "timeline_event.completed", event_id: "t", status: "completed", content: "hm", metadata: null },
      { ...call, sequence_number: 3 },
      { ...result, metadata: { is_error: false, call_event_id: "c", duration_ms: 70 }, sequence_number: 4 },
    );
    const durations = lanesOf(view).flatMap(({ entries }) =>
      entries.map(({ id, durationMs }) => [id, durationMs]),
    );
    expect(durations).to.deep.equal([
      ["t", 1_000],
      ["a", undefined],
      ["c", 70],
    ]);
  });

  it("names what failed and why, each reason once", () => {
    const { view } = fold(
      stage,
      agent("x1", 1),
      agent("x2", 2),
      call,
      result,
      created("e", "error", { execution_id: "x2" }),
      { ...agent("x1", 1, "failed"), error_message: "too long" },
      { ...agent("x2", 2, "failed"), error_message: "too long" },
    );
    expect(failedEntries(view).map(({ id }) => id)).to.deep.equal(["c", "e"]);
    expect(laneErrors(lanesOf(view))).to.deep.equal([{ error: "too long", agents: ["agent 1", "agent 2"] }]);
  });

  it("puts the agent above the stage's number of agents below them as their synthesis", () => {
    const { view } = fold(stage, agent("x2", 2), agent("x1", 1), agent("x3", 3));
    expect(view.stages[0]?.lanes.map(({ executionId }) => executionId)).to.deep.equal(["x1", "x2"]);
    expect(view.stages[0]?.synthesis?.executionId).to.equal("x3");
  });

  it("makes one entry of a call and its result, with its time and its failure", () => {
    const [lane] = lanesOf(fold(stage, agent("x1", 1), call, result).view);
    expect(lane?.entries).to.have.length(1);
    expect(lane?.entries[0]).to.deep.include({ id: "c", status: "failed", content: "r", endedAt: at(3) });
    expect(lane?.entries[0]?.call).to.deep.equal({ server: "k8s", tool: "pods", arguments: '{"a":1}' });
  });

  for (const { agentEnds, callEnds } of [
    { agentEnds: "completed", callEnds: "cancelled" },
    { agentEnds: "timed_out", callEnds: "timed_out" },
  ]) {
    it(`ends a call without a result as ${callEnds} when its agent is ${agentEnds}`, () => {
      const [lane] = lanesOf(fold(stage, agent("x1", 1), call, agent("x1", 1, agentEnds)).view);
      expect(lane?.entries[0]).to.include({ status: callEnds, endedAt: at(3) });
    });
  }

  it("keeps text of open entries only, and of the newest attempt", () => {
    const open = created("t", "llm_thinking", { status: "streaming", content: "" });
    const folded = fold(stage, agent("x1", 1), open);
    folded.apply(chunk(1, 0, "wro"));
    folded.apply(chunk(2, 0, "right"));
    folded.apply(chunk(1, 3, "ng"));
    expect(folded.text("t")?.text).to.equal("right");
    folded.apply({
      type: "timeline_event.completed",
      session_id: "s",
      event_id: "t",
      event_type: "llm_thinking",
      status: "completed",
      content: "right!",
      timestamp: at(9),
      seq: 4,
    });
    folded.apply(chunk(3, 0, "late"));
    expect(folded.text("t")).to.equal(undefined);
    expect(lanesOf(folded.view)[0]?.entries[0]).to.include({ status: "completed", content: "right!" });
  });

  it("asks for a decision until there is one", () => {
    const asked = {
      type: "approval.requested",
      stage_id: "st",
      execution_id: "x1",
      approval_id: "q",
      agent_name: "agent 1",
      tool: "k8s.remove",
      arguments: "{}",
      arguments_complete: true,
      expires_at: at(59),
    };
    const decided = {
      type: "approval.decided",
      execution_id: "x1",
      approval_id: "q",
      tool: "k8s.remove",
      state: "denied",
      decided_by: "ann",
      reason: "no",
    };
    expect(openApprovals(fold(stage, agent("x1", 1), asked).view).map(({ id }) => id)).to.deep.equal(["q"]);
    const after = fold(stage, agent("x1", 1), asked, decided);
    expect(openApprovals(after.view)).to.deep.equal([]);
    expect(lanesOf(after.view)[0]?.entries[0]?.approval).to.deep.include({ state: "denied", reason: "no" });
  });

  it("takes the conclusion of a synthesis before those of its agents", () => {
    const { view } = fold(
      stage,
      agent("x1", 1),
      agent("x3", 3),
      created("s", "final_analysis", { execution_id: "x3" }),
      created("a", "final_analysis"),
    );
    expect(finalAnalysis(view)?.id).to.equal("s");
  });

  it("shows what it gets of an agent and a stage of which it did not get the beginning", () => {
    const [lane] = lanesOf(fold(created("t", "llm_thinking")).view);
    expect(lane?.entries.map(({ id }) => id)).to.deep.equal(["t"]);
  });

  it("gives back the same lane in the next snapshot unless it changed", () => {
    const folded = fold(stage, agent("x1", 1), agent("x2", 2));
    const [first, second] = lanesOf(folded.snapshot());
    const message: unknown = { ...created("t", "llm_thinking"), session_id: "s", timestamp: at(5), seq: 4 };
    if (isSessionMessage(message)) folded.apply(message);
    const [firstNow, secondNow] = lanesOf(folded.snapshot());
    expect(firstNow).not.to.equal(first);
    expect(secondNow).to.equal(second);
  });

  it("leaves out messages that it does not know or that lack what it needs", () => {
    expect(isSessionMessage({ type: "chat.message", seq: 1, timestamp: "" })).to.equal(false);
    expect(isSessionMessage({ type: "session.status", seq: 1, timestamp: "" })).to.equal(false);
    expect(isSessionMessage("text")).to.equal(false);
    expect(isSessionMessage(null)).to.equal(false);
  });
});
