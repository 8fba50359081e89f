import { expect } from "chai";
import { failedEntries } from "../session/failed-entries.ts";
import { SessionFold } from "../session/fold-events.ts";
import { laneErrors } from "../session/lane-errors.ts";
import { searchSession } from "../session/search-session.ts";
import { isSessionMessage, type SessionMessage } from "../session/session-message.ts";
import { finalAnalysis, lanesOf, openApprovals } from "../session/session-view.ts";

/** Applies messages with the members that all of them have; throws for one that the page does not take. */
function fold(...messages: readonly Readonly<Record<string, unknown>>[]): SessionFold {
  const folded = new SessionFold();
  for (const [position, members] of messages.entries()) {
    const message: unknown = { session_id: "s", timestamp: at(position), seq: position + 1, ...members };
    if (!isSessionMessage(message)) throw new Error(`not a message: ${JSON.stringify(members)}`);
    folded.apply(message);
  }
  return folded;
}

const at = (second: number) => new Date(Date.UTC(2026, 0, 31, 12, 0, second)).toISOString();
const stage = {
  type: "stage.started",
  stage_id: "st",
  stage_name: "look",
  stage_index: 1,
  status: "active",
  expected_agent_count: 2,
};
const agent = (execution_id: string, agent_index: number, status = "active") => ({
  type: "execution.status",
  stage_id: "st",
  execution_id,
  agent_name: `agent ${agent_index}`,
  agent_index,
  status,
});
const child = (execution_id: string, parent_execution_id: string, agent_index: number) => ({
  ...agent(execution_id, agent_index),
  parent_execution_id,
});
const created = (event_id: string, event_type: string, members: object = {}) => ({
  type: "timeline_event.created",
  event_id,
  stage_id: "st",
  execution_id: "x1",
  event_type,
  status: "completed",
  content: event_id,
  metadata: null,
  sequence_number: 1,
  ...members,
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
    expect(laneErrors(view)).to.deep.equal([{ error: "too long", agents: ["agent 1", "agent 2"] }]);
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

  it("gives a result that names no call to the oldest open one", () => {
    const second = created("d", "llm_tool_call", { sequence_number: 2 });
    const answer = created("r", "tool_result", { sequence_number: 3 });
    const [lane] = lanesOf(fold(stage, agent("x1", 1), call, second, answer).view);
    expect(lane?.entries.map(({ id, status }) => `${id} ${status}`)).to.deep.equal([
      "c completed",
      "d streaming",
    ]);
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

  it("takes no status, conclusion, failure or takeover of the session from what was done after its end", () => {
    const ofChat = { stage_id: "ch", execution_id: "x9" };
    const { view } = fold(
      { type: "session.status", status: "in_progress" },
      stage,
      agent("x1", 1),
      created("found", "final_analysis"),
      { type: "session.completed", status: "completed" },
      { ...stage, stage_id: "ch", stage_name: "Chat", stage_index: 2, stage_type: "chat" },
      created("why", "user_question", ofChat),
      { type: "session.taken_over", epoch: 2, silent_ms: 21_000 },
      { ...agent("x9", 1), ...ofChat },
      created("because", "final_analysis", ofChat),
      { ...created("e", "error", ofChat), sequence_number: 2 },
      { ...agent("x9", 1, "failed"), ...ofChat, error_message: "too long" },
      { type: "stage.completed", stage_id: "ch", stage_name: "Chat", stage_index: 2, status: "failed" },
    );
    expect(view).to.deep.include({ status: "completed", error: undefined, endedAt: at(4), takeovers: [] });
    expect(view.stages.map(({ id }) => id)).to.deep.equal(["st"]);
    expect(view.followUps.map(({ id, type, status }) => `${id} ${type} ${status}`)).to.deep.equal([
      "ch chat failed",
    ]);
    expect(finalAnalysis(view)?.id).to.equal("found");
    expect(failedEntries(view)).to.deep.equal([]);
    expect(laneErrors(view)).to.deep.equal([]);
    const words = ["because", "found"].map((word) => searchSession(view, word).map(({ id }) => id));
    expect(words).to.deep.equal([["because"], ["found"]]);
  });

  it("has the state of the newest scoring, and the newest score", () => {
    const scored = (score_id: string, scoring_status: string, members: object = {}) => ({
      type: "session.score_updated",
      score_id,
      scoring_status,
      ...members,
    });
    const first = [scored("a", "pending"), scored("a", "completed", { total_score: 72 })];
    expect(fold(...first).view.scoring).to.deep.equal({ id: "a", status: "completed", score: 72, seq: 2 });
    expect(fold(...first, scored("b", "failed")).view.scoring).to.deep.equal({
      id: "b",
      status: "failed",
      score: 72,
      seq: 3,
    });
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
