import { expect } from "chai";
import type { SessionEventPayload } from "#shared/contracts/session-event.ts";
import type { StreamChunk } from "#shared/contracts/stream-chunk.ts";
import { readAsClient } from "../../../test/support/agui-agent.ts";
import type { AguiEvent } from "../agui/agui-event.ts";
import { AguiFold } from "../agui/agui-fold.ts";
import {
  agent,
  asks,
  call,
  chunk,
  decided,
  ended,
  entry,
  result,
  session_id,
  stage,
  status,
  timestamp,
} from "./agui-events.ts";

const RUN = { sessionId: session_id, threadId: "thread", runId: "run" };

function feed(fold: AguiFold, inputs: readonly (SessionEventPayload | StreamChunk)[]): AguiEvent[] {
  return inputs.flatMap((input) => [
    ...(input.type === "stream.chunk" ? fold.takeChunk(input) : fold.take({ payload: input })),
  ]);
}

function runOf(...inputs: readonly (SessionEventPayload | StreamChunk)[]): readonly AguiEvent[] {
  const fold = new AguiFold(RUN);
  return [fold.start(), ...feed(fold, inputs)];
}

const types = (events: readonly { readonly type: string }[]) => events.map(({ type }) => type);
const contentOf = (message: object | undefined): unknown =>
  message && "content" in message ? message.content : undefined;

describe("a session as AG-UI tells it", () => {
  const investigated = [
    stage("stage.started"),
    agent("a"),
    entry("t", "llm_thinking", { status: "streaming" }),
    ended("t", "llm_thinking", "Which pod?"),
    call("c"),
    result("r", "c", "removed"),
    entry("m", "llm_response", { status: "streaming" }),
    ended("m", "llm_response", "The pod."),
    entry("f", "final_analysis", { content: "The pod." }),
    agent("a", "completed"),
    stage("stage.completed"),
    entry("e", "executive_summary", { content: "In short." }),
    status("completed"),
  ];

  it("has thoughts, calls with their results, answers once each, and a summary of the run itself", async () => {
    const { messages, events } = await readAsClient(runOf(...investigated));
    expect(messages.map(({ id, role }) => [id, role])).to.deep.equal([
      ["t", "reasoning"],
      ["c", "assistant"],
      ["r", "tool"],
      ["m", "assistant"],
      ["e", "assistant"],
    ]);
    expect(messages.map(contentOf)).to.deep.equal([
      "Which pod?",
      undefined,
      "removed",
      "The pod.",
      "In short.",
    ]);
    expect(messages.map((message) => message.subagentRunId)).to.deep.equal(["a", "a", "a", "a", undefined]);
    expect(events.at(-1)).to.deep.include({
      type: "RUN_FINISHED",
      outcome: { type: "success" },
      result: { session_id, status: "completed" },
    });
  });

  it("is the same however often and wherever it begins", () => {
    const all = runOf(...investigated);
    expect(runOf(...investigated)).to.deep.equal(all);
    for (let length = 0; length <= investigated.length; length += 1) {
      const fold = new AguiFold(RUN);
      const first = [fold.start(), ...feed(fold, investigated.slice(0, length))];
      expect([...first, ...feed(fold, investigated.slice(length))]).to.deep.equal(all);
    }
  });

  it("ends everything that is open before each kind of end", async () => {
    const open = [
      stage("stage.started"),
      agent("a"),
      agent("b", "active", { parent: "a" }),
      call("c", "b"),
      entry("t", "llm_thinking", { status: "streaming" }),
      entry("m", "llm_response", { status: "streaming", execution_id: "b" }),
      entry("s", "mcp_tool_summary", { status: "streaming" }),
      chunk("m", 1, 0, "The"),
    ];
    for (const how of ["completed", "cancelled", "failed", "timed_out"] as const) {
      const events = runOf(...open, status(how, how === "failed" ? "no model" : undefined));
      const [, ...last] = [...events].toReversed();
      expect(types(last.slice(0, 3)), how).to.deep.equal([
        "STEP_FINISHED",
        how === "completed" ? "SUBAGENT_FINISHED" : "SUBAGENT_ERROR",
        how === "completed" ? "SUBAGENT_FINISHED" : "SUBAGENT_ERROR",
      ]);
      expect(events.at(-1)).to.deep.include(
        how === "failed"
          ? { type: "RUN_ERROR", message: "no model", code: "failed" }
          : how === "timed_out"
            ? { type: "RUN_ERROR", message: "the investigation ended timed out", code: how }
            : { type: "RUN_FINISHED", outcome: { type: how === "completed" ? "success" : how } },
      );
      const { messages } = await readAsClient(events);
      expect(messages.find(({ role }) => role === "tool")).to.include({ toolCallId: "c" });
    }
  });

  it("ends an agent's calls and texts with the agent, so that clients do not make the calls", async () => {
    const { messages, events } = await readAsClient(
      runOf(
        agent("a"),
        call("c"),
        entry("m", "llm_response", { status: "streaming" }),
        agent("a", "failed"),
        status("completed"),
      ),
    );
    expect(types(events)).to.include.members(["TEXT_MESSAGE_END", "TOOL_CALL_RESULT", "SUBAGENT_ERROR"]);
    expect(messages.filter(({ role }) => role === "tool")).to.have.length(1);
  });

  it("streams text as it is written, in a new message for a second attempt, and ends with what is stored", async () => {
    const begun = [agent("a"), entry("m", "llm_response", { status: "streaming" })];
    const live = runOf(
      ...begun,
      chunk("m", 1, 0, "The po"),
      chunk("m", 1, 4, "pod"),
      chunk("m", 1, 50, "too late"),
      chunk("m", 2, 0, "No"),
      chunk("m", 1, 7, " of an attempt that is over"),
      chunk("m", 2, 2, "de"),
      ended("m", "llm_response", "Node 2."),
      chunk("m", 2, 4, "!"),
      agent("a", "completed"),
      status("completed"),
    );
    const { messages } = await readAsClient(live);
    expect(messages.map((message) => [message.id, contentOf(message)])).to.deep.equal([
      ["m", "The pod"],
      ["m#2", "Node 2."],
    ]);
    const other = runOf(...begun, chunk("m", 2, 0, "Node 3"), ended("m", "llm_response", "Node 2."));
    expect(other.flatMap((event) => ("messageId" in event ? [event.messageId] : []))).to.deep.equal([
      "m",
      "m",
      "m",
      "m#2",
      "m#2",
      "m#2",
    ]);
  });

  it("tells what the protocol has no event for as custom events and activities", async () => {
    const { events } = await readAsClient(
      runOf(
        { type: "session.status", session_id, status: "in_progress", timestamp },
        { type: "session.taken_over", session_id, epoch: 2, silent_ms: 20_000, timestamp },
        {
          type: "session.progress",
          session_id,
          current_stage_index: 1,
          current_stage_name: "look",
          total_stages: 2,
          active_executions: 1,
          status_text: "looking",
          timestamp,
        },
        agent("a"),
        entry("q", "user_question", {
          content: "Look at db-7.",
          metadata: { author: "ana", steering: "note" },
        }),
        agent("a", "completed"),
        status("completed"),
      ),
    );
    const seen = events.flatMap((event) =>
      event.type === "CUSTOM"
        ? [event["name"]]
        : event.type === "ACTIVITY_SNAPSHOT"
          ? [event["activityType"]]
          : [],
    );
    expect(seen).to.deep.equal(["session.taken_over", "session.progress", "user_question"]);
  });

  it("asks when every agent waits for a person, and goes on after the answer", async () => {
    const fold = new AguiFold(RUN);
    const events = [
      fold.start(),
      ...feed(fold, [stage("stage.started"), agent("a"), agent("b"), call("c"), asks("q")]),
    ];
    expect(fold.waitsForPerson, "b works").to.equal(false);
    events.push(...feed(fold, [agent("d", "active", { parent: "b" }), asks("p", "d")]));
    expect(fold.waitsForPerson, "b waits for d").to.equal(true);
    events.push(...fold.interrupt());
    expect(fold.isOver).to.equal(true);
    const { interrupts } = await readAsClient(events);
    expect(interrupts.map(({ id, subagentRunId }) => ({ id, subagentRunId }))).to.deep.equal([
      { id: "q", subagentRunId: "a" },
      { id: "p", subagentRunId: "d" },
    ]);
    expect(events.filter(({ type }) => type === "SUBAGENT_FINISHED")).to.deep.include({
      type: "SUBAGENT_FINISHED",
      subagentRunId: "a",
      outcome: { type: "suspended", interruptIds: ["q"] },
    });
    const long = new AguiFold(RUN);
    feed(long, [agent("a"), asks("q", "a", { arguments_complete: false })]);
    expect(long.waitsForPerson, "no one sees all arguments").to.equal(false);
    const hidden = new AguiFold(RUN);
    feed(hidden, [agent("a"), asks("q", "a", { arguments: '{"pod":"a\u200b"}' })]);
    expect(JSON.stringify(hidden.interrupt())).to.contain("a\\\\u200b").and.not.contain("\u200b");
    const again = new AguiFold(RUN);
    feed(again, [agent("a"), call("c"), asks("q"), decided("q")]);
    expect(again.waitsForPerson).to.equal(false);
    await readAsClient(
      runOf(
        stage("stage.started"),
        agent("a"),
        call("c"),
        asks("q"),
        decided("q"),
        result("r", "c", "removed"),
        agent("a", "completed"),
        status("completed"),
      ),
    );
  });

  it("tells one stage that answers a question as a run whose agent is the run itself", async () => {
    const fold = new AguiFold({ ...RUN, stageId: "chat" });
    const at = { stage_id: "chat" };
    const { messages, events } = await readAsClient([
      fold.start(),
      ...feed(fold, [
        stage("stage.started", "chat", "Chat"),
        entry("q", "user_question", { ...at, content: "Why?", sequence_number: 1 }),
        agent("other", "active"),
        entry("x", "llm_response", { execution_id: "other", content: "of another stage" }),
        agent("a", "active", { at: "chat" }),
        entry("m", "llm_response", { ...at, status: "streaming" }),
        ended("m", "llm_response", "Because."),
        entry("f", "final_analysis", { ...at, content: "Because." }),
        agent("a", "completed", { at: "chat" }),
        stage("stage.completed", "chat", "Chat"),
        status("completed"),
      ]),
    ]);
    expect(messages.map((message) => [message.id, contentOf(message), message.subagentRunId])).to.deep.equal([
      ["m", "Because.", undefined],
    ]);
    expect(types(events)).to.deep.equal([
      "RUN_STARTED",
      "STEP_STARTED",
      "TEXT_MESSAGE_START",
      "TEXT_MESSAGE_CONTENT",
      "TEXT_MESSAGE_END",
      "STEP_FINISHED",
      "RUN_FINISHED",
    ]);
  });
});
