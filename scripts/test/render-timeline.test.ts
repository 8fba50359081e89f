import { expect } from "chai";
import type { NotifierMessage } from "#shared/client/follow-session.ts";
import { TimelineRenderer } from "../tarsy/terminal/render-timeline.ts";
import { terminalStyle } from "../tarsy/terminal/terminal-style.ts";

const stage = { stage_id: "stage", stage_name: "analysis", stage_index: 1 };
const at = (seconds: number) => new Date(Date.UTC(2026, 2, 14, 2, 0, 0) + seconds * 1_000).toISOString();
const status = (value: string, seconds: number, more: object = {}): NotifierMessage => ({
  type: "session.status",
  status: value,
  timestamp: at(seconds),
  ...more,
});
const created = (event_id: string, event_type: string, more: object = {}): NotifierMessage => ({
  type: "timeline_event.created",
  event_id,
  event_type,
  execution_id: "first",
  status: "streaming",
  content: "",
  timestamp: at(1),
  ...more,
});
const chunk = (event_id: string, offset: number, delta: string, attempt = 1): NotifierMessage => ({
  type: "stream.chunk",
  event_id,
  attempt,
  offset,
  delta,
});
const completed = (event_id: string, event_type: string, content: string, more = {}): NotifierMessage => ({
  type: "timeline_event.completed",
  event_id,
  event_type,
  status: "completed",
  content,
  timestamp: at(2),
  ...more,
});

function render(messages: readonly NotifierMessage[], colours = false, lastCopied = 0): string {
  let screen = "";
  const renderer = new TimelineRenderer((text) => (screen += text), terminalStyle(colours), lastCopied);
  for (const message of messages) renderer.show(message);
  renderer.finish();
  return screen;
}

describe("TimelineRenderer", () => {
  it("says that another executor went on with the session", () => {
    const taken = { type: "session.taken_over", epoch: 2, silent_ms: 22_400, timestamp: at(30) };
    const screen = render([status("in_progress", 0), taken, status("completed", 40)]);
    expect(screen).to.include("Continued on another executor").and.include("22.4 s").and.include("completed");
  });

  it("says how much of a conclusion was found in the results", () => {
    const checked = { type: "conclusion.checked", status: "likely", claims_verified: 5, claims_total: 6 };
    const screen = render([status("in_progress", 0), { ...checked, execution_id: "first", attempt: 1 }]);
    expect(screen).to.include("Conclusion likely, 5 of 6 claims verified");
  });

  it("counts the time of a fork from its own start", () => {
    const session = (name: string, seconds: number, seq: number) => ({ ...status(name, seconds), seq });
    const all = [session("in_progress", 0, 1), session("in_progress", 40, 3), session("completed", 42, 4)];
    expect(render(all, false, 2))
      .to.include("after 2.0 s")
      .and.not.include("after 42.0 s");
  });

  it("prints an answer once that is repeated as the final analysis", () => {
    const screen = render([
      created("m", "llm_response"),
      chunk("m", 0, "The disk is full."),
      completed("m", "llm_response", "The disk is full."),
      created("f", "final_analysis", { status: "completed", content: "The disk is full." }),
    ]);
    expect(screen.split("The disk is full.")).to.have.length(2);
    expect(screen).to.include("● Final analysis\n(the message above)");
  });

  it("names each agent of a stage in which several run", () => {
    const started = { type: "stage.started", ...stage, expected_agent_count: 2, timestamp: at(0) };
    const running = {
      type: "execution.status",
      execution_id: "first",
      stage_id: stage.stage_id,
      agent_name: "Ann",
      agent_index: 1,
      status: "active",
      timestamp: at(0),
    };
    const done = created("m", "llm_response", { status: "completed", content: "Found." });
    expect(render([started, running, done])).to.include("● message (agent 1, Ann)");
  });

  it("names an agent that another one has started behind that one", () => {
    const run = (execution_id: string, agent_name: string, more: object = {}): NotifierMessage => ({
      type: "execution.status",
      execution_id,
      agent_name,
      agent_index: 1,
      status: "active",
      timestamp: at(1),
      ...more,
    });
    const child = { parent_execution_id: "x" };
    const screen = render([
      run("x", "Lead"),
      run("y", "Logs", child),
      {
        type: "timeline_event.created",
        event_id: "t",
        execution_id: "y",
        event_type: "task_assigned",
        status: "completed",
        content: "read the logs",
        timestamp: at(2),
        ...child,
      },
      run("y", "Logs", { ...child, status: "timed_out" }),
    ]);
    expect(screen).to.include("● task (Lead › Logs)\nread the logs");
    expect(screen).to.include("■ Lead › Logs: timed out");
  });

  it("shows a recorded investigation from its first status to its last", () => {
    const screen = render([
      status("in_progress", 0),
      { type: "stage.started", ...stage, timestamp: at(0) },
      created("t", "llm_thinking"),
      chunk("t", 0, "What is "),
      chunk("t", 8, "full?\n"),
      completed("t", "llm_thinking", "What is full?"),
      created("c", "llm_tool_call", {
        status: "completed",
        content: '{"path":"/"}',
        metadata: { server_name: "kubernetes", tool_name: "df" },
      }),
      created("r", "tool_result", { status: "completed", content: "100% /" }),
      created("f", "final_analysis"),
      chunk("f", 0, "The disk"),
      completed("f", "final_analysis", "The disk is full 💾"),
      { type: "stage.completed", ...stage, status: "completed", timestamp: at(4.2) },
      status("completed", 65),
    ]);
    expect(screen).to.equal(
      [
        "",
        "Session in progress",
        "",
        "▶ Stage 1: analysis",
        "",
        "● thinking",
        "What is full?",
        "",
        "",
        "● tool call kubernetes.df",
        '{"path":"/"}',
        "",
        "● tool result",
        "100% /",
        "",
        "● Final analysis",
        "The disk is full 💾",
        "",
        "■ Stage 1 completed in 4.2 s",
        "",
        "Session completed after 1 min 5 s",
        "",
      ].join("\n"),
    );
  });

  it("shows one agent's text at a time and queues the others'", () => {
    const agent = { type: "execution.status", timestamp: at(1) };
    const screen = render([
      { ...agent, execution_id: "first", agent_index: 1, agent_name: "Ann", status: "active" },
      { ...agent, execution_id: "second", agent_index: 2, agent_name: "Ben", status: "active" },
      created("a", "llm_thinking"),
      created("b", "llm_thinking", { execution_id: "second" }),
      chunk("a", 0, "one "),
      chunk("b", 0, "three "),
      chunk("a", 4, "two"),
      completed("b", "llm_thinking", "three four"),
      completed("a", "llm_thinking", "one two"),
      { ...agent, execution_id: "second", agent_index: 2, agent_name: "Ben", status: "timed_out" },
    ]);
    expect(screen).to.equal(
      "\n● thinking\none two\n\n● thinking (agent 2, Ben)\nthree four\n\n■ agent 2, Ben: timed out\n",
    );
  });

  it("shows a replaced text again, and the text of a repeated attempt from its start", () => {
    expect(
      render([created("a", "llm_response"), chunk("a", 0, "old"), completed("a", "llm_response", "new")]),
    ).to.equal("\n● message\nold\n● message\nnew\n");
    expect(
      render([
        created("a", "llm_response"),
        chunk("a", 0, "first"),
        chunk("a", 0, "second", 2),
        chunk("a", 5, " ignored", 1),
        completed("a", "llm_response", "second"),
      ]),
    ).to.equal("\n● message\nfirst\n● message\nsecond\n");
  });

  it("does not repeat text that a new connection sends again", () => {
    const screen = render([
      created("a", "llm_response"),
      chunk("a", 0, "one "),
      chunk("a", 0, "one two "),
      completed("a", "llm_response", "one two three"),
    ]);
    expect(screen).to.equal("\n● message\none two three\n");
  });

  it("shows how an event or a session failed, and why", () => {
    const screen = render([
      created("a", "llm_response"),
      completed("a", "llm_response", "Streaming failed: refused", { status: "failed" }),
      status("failed", 1, { error_message: "content_blocked" }),
    ]);
    expect(screen).to.equal(
      "\n● message\nStreaming failed: refused\n  [failed]\n\nSession failed: content_blocked\n",
    );
  });

  it("shows the sentence of an error once", () => {
    const why = "local (qwen3 at http://llm:8000): the server cannot be reached";
    const shown = `LLM error: ${why}`;
    const failed = `${shown} (code: max_retries, retryable: true)`;
    const screen = render([
      created("e", "error", { status: "completed", content: failed }),
      created("f", "error", { status: "completed", content: failed }),
      status("failed", 1, { error_message: `gave up: ${why}` }),
    ]);
    expect(screen).to.equal(
      `\n● error\n${shown}\n\n● error\nthe same error again\n\nSession failed: gave up: see above\n`,
    );
    expect(
      render([
        created("e", "error", { status: "completed", content: failed }),
        status("failed", 1, { error_message: why }),
      ]),
    ).to.equal(`\n● error\n${shown}\n\nSession failed\n`);
  });

  it("tells what people and alerts say to the agents from questions", () => {
    const told = (id: string, metadata: object) =>
      created(id, "user_question", { status: "completed", content: "text", metadata });
    expect(
      render([
        told("a", { author: "amy", steering: "note" }),
        told("b", { author: "api-client", steering: "conclude" }),
        told("c", { author: "amy" }),
        told("d", { author: "alerts", evidence: { alerts: 1 } }),
      ]),
    ).to.equal(
      "\n● Note from amy\ntext\n\n● Asked to conclude by operator\ntext\n\n● question\ntext\n\n● Alerts joined\ntext\n",
    );
  });

  it("truncates long tool results", () => {
    const content = Array.from({ length: 100 }, (_, n) => `line ${n}`).join("\n");
    const screen = render([created("r", "tool_result", { status: "completed", content })]);
    expect(screen).to.include("line 19\n… 80 more lines\n");
    expect(screen).not.to.include("line 20");
  });

  it("dims thinking, shows errors in red and replaces control characters", () => {
    const thinking = created("t", "llm_thinking", { status: "completed", content: "a\u001B[2Jb" });
    const error = created("e", "error", { status: "completed", content: "no" });
    const screen = render([thinking, error], true);
    expect(screen).to.include("\u001B[2ma\uFFFD[2Jb\u001B[22m");
    expect(screen).to.include("\u001B[31mno\u001B[39m");
  });
});
