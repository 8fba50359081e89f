import { expect } from "chai";
import { exchangeOf } from "../session/exchange-of.ts";
import { failedEntries } from "../session/failed-entries.ts";
import { laneErrors } from "../session/lane-errors.ts";
import { searchSession } from "../session/search-session.ts";
import { finalAnalysis, lanesOf } from "../session/session-view.ts";
import { agent, at, created, fold, stage } from "./example-messages.ts";

const ofChat = { stage_id: "ch", execution_id: "x9" };
const chat = { ...stage, stage_id: "ch", stage_name: "Chat", stage_index: 2, stage_type: "chat" };

describe("the fold of events after the end of a session", () => {
  it("takes no status, conclusion, failure or takeover of the session from what was done after its end", () => {
    const { view } = fold(
      { type: "session.status", status: "in_progress" },
      stage,
      agent("x1", 1),
      created("found", "final_analysis"),
      { type: "session.completed", status: "completed" },
      chat,
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
    expect(laneErrors(lanesOf(view))).to.deep.equal([]);
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
});

describe("exchangeOf(stage)", () => {
  const exchange = (...messages: readonly Readonly<Record<string, unknown>>[]) => {
    const question = created("why", "user_question", { ...ofChat, metadata: { author: "ann" } });
    const [first] = fold(chat, question, { ...agent("x9", 1), ...ofChat }, ...messages).view.followUps;
    if (first === undefined) throw new Error("there is no exchange");
    const { author, question: asked, steps, answer, subAgents } = exchangeOf(first);
    return [
      author,
      asked?.id,
      steps.map(({ id }) => id),
      answer?.id,
      subAgents.map(({ executionId }) => executionId),
    ];
  };
  const entry = (id: string, type: string, sequence_number: number, members: object = {}) => ({
    ...created(id, type, ofChat),
    sequence_number,
    ...members,
  });
  const open = { status: "streaming", content: "" };

  it("has the question, who asked it, and nothing else at first", () => {
    expect(exchange()).to.deep.equal(["ann", "why", [], undefined, []]);
  });

  it("takes what is written last for the answer until a tool is called", () => {
    const text = entry("t", "llm_response", 2, open);
    expect(exchange(text)).to.deep.equal(["ann", "why", [], "t", []]);
    const call = entry("c", "llm_tool_call", 3);
    expect(exchange(text, call)).to.deep.equal(["ann", "why", ["t", "c"], undefined, []]);
  });

  it("has the final analysis as the answer, and no response that it repeats", () => {
    const text = entry("t", "llm_response", 2, { content: "so" });
    const end = entry("f", "final_analysis", 3, { content: "so" });
    expect(exchange(text, end)).to.deep.equal(["ann", "why", [], "f", []]);
  });

  it("has the agents that the answering one has started apart", () => {
    const child = { ...agent("x8", 1), ...ofChat, execution_id: "x8", parent_execution_id: "x9" };
    expect(exchange(child)).to.deep.equal(["ann", "why", [], undefined, ["x8"]]);
  });
});
