import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { SocketMessage } from "#shared/contract-view/socket-message.ts";
import { summaryStageId, synthesisStageId } from "#shared/contract-view/shown-stages.ts";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { UnstampedPayload } from "#shared/contracts/session-event.ts";
import { NotifierFixture } from "./notifier-fixture.ts";
import { TestClient } from "./test-client.ts";
import type { TestSession } from "./test-session.ts";

const parseMessage = compileParser("message of the dialect", SocketMessage);
const CONTROL = new Set([
  "connection.established",
  "subscription.confirmed",
  "subscription.error",
  "pong",
  "error",
]);

describe("notifier: /api/v1/ws speaks the contract's dialect", () => {
  let fixture: NotifierFixture;
  let url: string;

  before(async () => {
    fixture = await NotifierFixture.start();
    ({ url } = await fixture.notifier());
    url = url.replace("/ws", "/api/v1/ws");
  });
  after(async () => fixture[Symbol.asyncDispose]());

  /** The messages about sessions, each checked against its schema. */
  const messages = (client: TestClient) =>
    client.messages.filter(({ type }) => !CONTROL.has(String(type))).map((message) => parseMessage(message));
  const untilStatus = async (client: TestClient, status: string) =>
    client.until(() => client.of("session.status").some((message) => message["status"] === status));
  const brief = (client: TestClient) =>
    messages(client).map((message) => {
      if (message.type === "stage.status") {
        return `stage ${message.stage_index} ${message.stage_name} ${message.stage_type} ${message.status}`;
      }
      return "status" in message ? `${message.type} ${message.status}` : message.type;
    });

  /** The events of a session whose only stage has two agents, a synthesis and a summary. */
  const investigation = (session: TestSession): UnstampedPayload[] => {
    const stage = {
      session_id: session.id,
      stage_id: session.stageId,
      stage_name: "analysis",
      stage_index: 1,
    };
    const execution = (index: number, execution_id: string, status: "active" | "completed") => ({
      type: "execution.status" as const,
      session_id: session.id,
      stage_id: session.stageId,
      execution_id,
      agent_name: `agent ${index}`,
      agent_index: index,
      status,
    });
    const progress = (more: object): UnstampedPayload => ({
      type: "session.progress",
      session_id: session.id,
      current_stage_index: 1,
      current_stage_name: "analysis",
      total_stages: 1,
      active_executions: 1,
      status_text: "Stage 1 of 1 (analysis): 2 agents running",
      ...more,
    });
    const [first, second, third] = session.executionIds;
    return [
      session.status(),
      { type: "stage.started", ...stage, status: "active" },
      progress({}),
      execution(1, first, "active"),
      execution(2, second, "active"),
      session.whole("thought"),
      execution(1, first, "completed"),
      execution(2, second, "completed"),
      progress({ active_executions: 0 }),
      execution(3, third, "active"),
      progress({ current_stage_type: "synthesis" }),
      { ...session.whole("combined"), execution_id: third },
      execution(3, third, "completed"),
      { type: "stage.completed", ...stage, status: "completed" },
      progress({ current_stage_type: "exec_summary", status_text: "Writing the executive summary" }),
      { ...session.whole("short"), event_type: "executive_summary", execution_id: third },
      { type: "session.status", session_id: session.id, status: "completed" },
      session.ended(),
    ];
  };
  const EXPECTED = [
    "session.status in_progress",
    "stage 1 analysis investigation started",
    "session.progress",
    "execution.status active",
    "execution.status active",
    "timeline_event.created completed",
    "execution.status completed",
    "execution.status completed",
    "session.progress",
    "stage 1 analysis investigation completed",
    "stage 2 analysis - Synthesis synthesis started",
    "execution.status active",
    "session.progress",
    "timeline_event.created completed",
    "execution.status completed",
    "stage 2 analysis - Synthesis synthesis completed",
    "stage 3 Executive Summary exec_summary started",
    "execution.status active",
    "session.progress",
    "timeline_event.created completed",
    "execution.status completed",
    "stage 3 Executive Summary exec_summary completed",
    "session.status completed",
  ];

  it("shows synthesis and summary as stages of their own, live and replayed alike", async () => {
    const session = await fixture.newSession([{ name: "analysis", agents: 2, synthesis: true }]);
    using live = await TestClient.connect(url);
    await live.subscribe(`session:${session.id}`);
    const events = investigation(session);
    await session.emit(...events.slice(0, 9));
    await session.emit(...events.slice(9));
    await untilStatus(live, "completed");
    expect(brief(live)).to.deep.equal(EXPECTED);
    using late = await TestClient.connect(url);
    await late.subscribe(`session:${session.id}`);
    await untilStatus(late, "completed");
    expect(messages(late)).to.deep.equal(messages(live));
    const synthesis = synthesisStageId(session.stageId);
    const ids = messages(live).flatMap((message) => ("stage_id" in message ? message.stage_id : []));
    expect(new Set(ids)).to.deep.equal(new Set([session.stageId, synthesis, summaryStageId(session.id)]));
    const [, , third] = session.executionIds;
    const ofThird = messages(live).filter(
      (message) => "execution_id" in message && message.execution_id === third,
    );
    for (const message of ofThird) expect(message).to.include({ stage_id: synthesis });
    expect(ofThird[0]).to.include({ agent_index: 1 });
    const progress = messages(live).flatMap((message) =>
      message.type === "session.progress" ? [[message.current_stage_index, message.total_stages]] : [],
    );
    expect(progress).to.deep.equal([
      [1, 3],
      [1, 3],
      [2, 3],
      [3, 3],
    ]);
    const cursors = messages(live).flatMap((message) =>
      "db_event_id" in message ? [message.db_event_id] : [],
    );
    expect(cursors).to.deep.equal([...new Set(cursors)].toSorted((a, b) => a - b));
  });

  it("shows no summary of a session without an analysis, and the end of one that was not written", async () => {
    const stage = (session: TestSession, status: "active" | "completed") => ({
      type: status === "active" ? ("stage.started" as const) : ("stage.completed" as const),
      session_id: session.id,
      stage_id: session.stageId,
      stage_name: "analysis",
      stage_index: 1,
      status,
    });
    const announced = (session: TestSession): UnstampedPayload => ({
      type: "session.progress",
      session_id: session.id,
      current_stage_index: 1,
      current_stage_name: "analysis",
      current_stage_type: "exec_summary",
      total_stages: 1,
      active_executions: 0,
      status_text: "Writing the executive summary",
    });
    for (const hasAnalysis of [false, true]) {
      const session = await fixture.newSession();
      using live = await TestClient.connect(url);
      await live.subscribe(`session:${session.id}`);
      await session.emit(
        stage(session, "active"),
        stage(session, "completed"),
        ...(hasAnalysis ? [announced(session)] : []),
        { type: "session.status", session_id: session.id, status: "completed" },
        session.ended(),
      );
      await untilStatus(live, "completed");
      const started = "stage 2 Executive Summary exec_summary started";
      const failed = "stage 2 Executive Summary exec_summary failed";
      expect(brief(live)).to.deep.equal([
        "stage 1 analysis investigation started",
        "stage 1 analysis investigation completed",
        ...(hasAnalysis
          ? [started, "execution.status active", "session.progress", "execution.status failed", failed]
          : []),
        "session.status completed",
      ]);
      // Another notifier has seen none of the events and knows it by the rows.
      await fixture.db.query("UPDATE session_runtime SET has_summary_stage = $2 WHERE session_id = $1", [
        session.id,
        hasAnalysis,
      ]);
      const other = await fixture.notifier();
      using late = await TestClient.connect(other.url.replace("/ws", "/api/v1/ws"));
      await late.subscribe(`session:${session.id}`);
      await untilStatus(late, "completed");
      expect(messages(late)).to.deep.equal(messages(live));
      await other.stop();
    }
  });

  it("is spoken of a session without a configuration, such as an imported one", async () => {
    const session = await fixture.newSession();
    await fixture.db.query("UPDATE alert_sessions SET config_hash = '' WHERE session_id = $1", [session.id]);
    using client = await TestClient.connect(url);
    expect(await client.subscribe(`session:${session.id}`)).to.include({ type: "subscription.confirmed" });
  });

  it("shows a tool call as one entry, and ends one that its agent leaves", async () => {
    const session = await fixture.newSession();
    const [execution_id] = session.executionIds;
    const call = (event_id: string): UnstampedPayload => ({
      ...session.whole("{}"),
      event_id,
      execution_id,
      event_type: "llm_tool_call",
      metadata: { server_name: "kubernetes", tool_name: "get_pods", arguments: {} },
    });
    const [answered, left] = [randomUUID(), randomUUID()];
    using client = await TestClient.connect(url);
    await client.subscribe(`session:${session.id}`);
    const stage = {
      session_id: session.id,
      stage_id: session.stageId,
      stage_name: "analysis",
      stage_index: 1,
    };
    await session.emit({ type: "stage.started", ...stage, status: "active" }, call(answered), call(left));
    await session.emit(
      {
        ...session.whole("3 pods"),
        execution_id,
        event_type: "tool_result",
        metadata: {
          server_name: "kubernetes",
          tool_name: "get_pods",
          is_error: false,
          call_event_id: answered,
          duration_ms: 7,
        },
      },
      {
        type: "execution.status",
        session_id: session.id,
        stage_id: session.stageId,
        execution_id,
        agent_name: "agent",
        agent_index: 1,
        status: "failed",
        error_message: "too bad",
      },
    );
    await client.until(() => client.of("execution.status").length === 1);
    const calls = messages(client).flatMap((message) =>
      message.type === "timeline_event.created" || message.type === "timeline_event.completed"
        ? [message]
        : [],
    );
    expect(calls.map(({ event_id, status, content }) => [event_id, status, content])).to.deep.equal([
      [answered, "streaming", ""],
      [left, "streaming", ""],
      [answered, "completed", "3 pods"],
      [left, "failed", ""],
    ]);
    expect(calls[0]?.metadata).to.include({ tool_type: "mcp", tool_name: "get_pods" });
    expect(calls[2]?.metadata).to.include({ is_error: false });
    expect(client.of("execution.status")[0]).to.include({ error_message: "too bad" });
  });

  it("sends the channel sessions numbered as the sessions themselves, without the session's last event twice", async () => {
    const session = await fixture.newSession([{ name: "analysis", agents: 2, synthesis: true }]);
    using client = await TestClient.connect(url);
    await client.subscribe("sessions");
    await session.emit(...investigation(session));
    const own = () => messages(client).filter(({ session_id }) => session_id === session.id);
    await client.until(() => own().length === 6);
    expect(own().map((message) => ("status" in message ? message.status : message.type))).to.deep.equal([
      "in_progress",
      ...Array.from({ length: 4 }, () => "session.progress"),
      "completed",
    ]);
    expect(own()[3]).to.include({ current_stage_index: 2, total_stages: 3 });
  });
});
