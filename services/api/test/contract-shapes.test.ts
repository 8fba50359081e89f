import { expect } from "chai";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import { summaryAgent, summaryStageId, synthesisStageId } from "#shared/contract-view/shown-stages.ts";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { ApiFixture } from "./api-fixture.ts";
import { insertInvestigated } from "./investigated-session.ts";

const Row = Type.Object({}, { additionalProperties: true });
const parseRow = compileParser("object", Row);
const parseRows = compileParser("list", Type.Array(Row));
const parseTrace = compileParser(
  "trace",
  Type.Object({
    session_id: Type.String(),
    stages: Type.Array(Type.Object({ executions: Type.Array(Row) }, { additionalProperties: true })),
    session_interactions: Type.Array(Row),
  }),
);

const value = (row: object, name: string): unknown => Object.entries(row).find(([key]) => key === name)?.[1];

/** The fixture fails if one of these responses has members that its schema does not have. */
describe("sessions in the shapes of the contract", () => {
  let api: ApiFixture;

  before(async () => {
    api = await ApiFixture.start();
  });
  after(() => api[Symbol.asyncDispose]());

  const get = async (path: string): Promise<unknown> =>
    JSON.parse((await api.raw("GET", `/api/v1/sessions/${path}`)).text);
  const investigated = async () => insertInvestigated(api);

  it("is the same without its timeline in the overview", async () => {
    const { session_id } = await investigated();
    const session = parseRow(await get(session_id));
    const overview = parseRow(await get(`${session_id}/overview`));
    expect(session).to.have.property("timeline").that.is.an("array").that.is.not.empty;
    expect({ ...session, timeline: undefined }).to.deep.equal({ ...overview, timeline: undefined });
  });

  it("has every stage with a number of its own, the synthesis and the summary among them", async () => {
    const { session_id, stage_id, at } = await investigated();
    const session = parseRow(await get(session_id));
    const summary = summaryStageId(session_id);
    expect(session).to.deep.include({
      total_stages: 3,
      completed_stages: 3,
      failed_stages: 0,
      current_stage_index: 3,
      current_stage_id: summary,
      has_parallel_stages: true,
      has_action_stages: false,
      actions_executed: null,
      llm_interaction_count: 3,
      mcp_interaction_count: 2,
      chat_id: null,
      latest_score: null,
      runbook_url: null,
      error_message: null,
    });
    const stages = parseRows(Object.entries(session).find(([name]) => name === "stages")?.[1]);
    const members = [
      "id",
      "stage_index",
      "stage_name",
      "stage_type",
      "status",
      "referenced_stage_id",
    ] as const;
    const more = ["parallel_type", "expected_agent_count", "started_at", "completed_at"] as const;
    const pick = (row: object, names: readonly string[]) =>
      Object.fromEntries(Object.entries(row).filter(([name]) => names.includes(name)));
    expect(stages.map((stage) => pick(stage, [...members, ...more]))).to.deep.equal([
      {
        id: stage_id,
        stage_index: 1,
        stage_name: "look",
        stage_type: "investigation",
        status: "completed",
        parallel_type: "multi_agent",
        expected_agent_count: 2,
        started_at: at(0),
        completed_at: at(15),
      },
      {
        id: synthesisStageId(stage_id),
        stage_index: 2,
        stage_name: "look - Synthesis",
        stage_type: "synthesis",
        status: "completed",
        referenced_stage_id: stage_id,
        parallel_type: null,
        expected_agent_count: 1,
        started_at: at(20),
        completed_at: at(30),
      },
      {
        id: summary,
        stage_index: 3,
        stage_name: "Executive Summary",
        stage_type: "exec_summary",
        status: "completed",
        parallel_type: null,
        expected_agent_count: 1,
        started_at: at(30),
        completed_at: at(40),
      },
    ]);
    const names = ["agent_name", "status", "error_message", "total_tokens"];
    const executions = stages.map((stage) =>
      parseRows(Object.entries(stage).find(([name]) => name === "executions")?.[1]).map((one) =>
        pick(one, names),
      ),
    );
    expect(executions).to.deep.equal([
      [
        { agent_name: "A", status: "completed", error_message: null, total_tokens: 15 },
        { agent_name: "B", status: "failed", error_message: "no", total_tokens: 15 },
      ],
      [{ agent_name: "SynthesisAgent", status: "completed", error_message: null, total_tokens: 12 }],
      [{ agent_name: "ExecSummaryAgent", status: "completed", error_message: null, total_tokens: 3 }],
    ]);
  });

  it("shows an execution of a synthesis in the synthesis's stage, numbered from 1, and so its calls", async () => {
    const { session_id, stage_id, iteration, synthesized } = await investigated();
    const member = (row: object, name: string): unknown =>
      Object.entries(row).find(([key]) => key === name)?.[1];
    const stages = parseRows(member(parseRow(await get(session_id)), "stages"));
    const places = stages.flatMap((stage) =>
      parseRows(member(stage, "executions")).map((one) => [
        member(one, "stage_id"),
        member(one, "agent_index"),
      ]),
    );
    const synthesis = synthesisStageId(stage_id);
    expect(places).to.deep.equal([
      [stage_id, 1],
      [stage_id, 2],
      [synthesis, 1],
      [member(stages[2] ?? {}, "id"), 1],
    ]);
    expect(member(parseRows(member(stages[2] ?? {}, "executions"))[0] ?? {}, "llm_backend")).to.equal(
      "scripted",
    );
    const [, traced] = parseTrace(await get(`${session_id}/trace`)).stages;
    const calls = parseRows(member(traced?.executions[0] ?? {}, "llm_interactions"));
    expect(calls.map((call) => [member(call, "id"), member(call, "stage_id")])).to.deep.equal([
      [synthesized, synthesis],
    ]);
    for (const [call, stage] of [
      [iteration, stage_id],
      [synthesized, synthesis],
    ]) {
      expect(await get(`${session_id}/trace/llm/${call ?? ""}`)).to.include({ id: call, stage_id: stage });
    }
  });

  it("has the timeline of an agent in the order of its numbers, whatever time a row was estimated to begin", async () => {
    const { session_id, agent, at } = await investigated();
    // The thought was stored late, and the answer after it in time.
    await api.servers.query(
      "UPDATE timeline_events SET created_at = $3 WHERE session_id = $1 AND execution_id = $2 AND sequence_number = 1",
      [session_id, agent, at(4)],
    );
    const timeline = parseRows(value(parseRow(await get(session_id)), "timeline"));
    const numbers = timeline.map((row) => Number(value(row, "sequence_number")));
    expect(numbers).to.deep.equal([1, 2, 3, 4, 5, 6, 7]);
  });

  it("has a bare timeline with one entry for each tool call", async () => {
    const { session_id, stage_id } = await investigated();
    const timeline = parseRows(await get(`${session_id}/timeline`));
    expect(
      timeline.map((row) => ["event_type", "status", "content"].map((name) => value(row, name))),
    ).to.deep.equal([
      ["llm_tool_call", "completed", "result 0"],
      ["llm_tool_call", "failed", "result 1"],
      ["llm_response", "streaming", undefined],
      ["final_analysis", "completed", "all agree"],
      ["executive_summary", "completed", "In short."],
      ["final_analysis", "completed", "In short."],
    ]);
    const [first, , , analysis, summary, ofStage] = timeline;
    expect(first).to.deep.include({ edges: {}, stage_id });
    expect(value(first ?? {}, "id")).to.equal(value(first ?? {}, "event_id"));
    expect(value(first ?? {}, "metadata")).to.deep.equal({
      server_name: "k8s",
      tool_name: "pods",
      tool_type: "mcp",
      arguments: '{"n":0}',
      is_error: false,
      duration_ms: 7,
    });
    expect(analysis).to.include({ stage_id: synthesisStageId(stage_id) });
    expect(summary).to.not.have.any.keys("stage_id", "execution_id");
    expect(ofStage).to.deep.include({
      stage_id: summaryStageId(session_id),
      execution_id: summaryAgent(session_id).execution_id,
      sequence_number: 1,
      metadata: { interaction_type: "executive_summary" },
    });
    expect(new Set(timeline.map((row) => value(row, "id"))).size).to.equal(6);
  });

  it("groups the trace, and shows one call of each kind", async () => {
    const { session_id, calls, iteration, summary } = await investigated();
    const trace = parseTrace(await get(`${session_id}/trace`));
    const ids = (rows: unknown) => parseRows(rows).map((row) => Object.entries(row)[0]);
    const [stage, synthesis, summaryStage] = trace.stages;
    expect(trace.stages).to.have.length(3);
    expect(synthesis).to.include({ stage_type: "synthesis" });
    const place = {
      stage_id: summaryStageId(session_id),
      execution_id: summaryAgent(session_id).execution_id,
    };
    expect(summaryStage).to.include({ stage_id: place.stage_id, stage_type: "exec_summary" });
    expect(summaryStage).to.have.nested.property("executions[0].agent_name", "ExecSummaryAgent");
    expect(summaryStage)
      .to.have.nested.property("executions[0].llm_interactions[0]")
      .that.includes({ id: summary, ...place });
    const [agent] = stage?.executions ?? [];
    const of = (name: string): unknown => Object.entries(agent ?? {}).find(([key]) => key === name)?.[1];
    expect(ids(of("llm_interactions"))).to.deep.equal([["id", iteration]]);
    expect(ids(of("mcp_interactions"))).to.deep.equal(calls.map((id) => ["id", id]));
    expect(trace.session_interactions).to.deep.equal([]);
    expect(await get(`${session_id}/trace/mcp/${calls[1] ?? ""}`)).to.deep.include({
      id: calls[1],
      tool_arguments: { n: 1 },
      tool_result: { content: "result 1", is_error: true },
    });
    const answered = await get(`${session_id}/trace/llm/${summary}`);
    expect(parseRow(answered)).to.deep.include({
      ...place,
      conversation: [
        { role: "user", content: "sum it up" },
        { role: "assistant", content: "In short." },
      ],
    });
    expect((await api.raw("GET", `/api/v1/sessions/${session_id}/trace/mcp/${summary}`)).status).to.equal(
      404,
    );
  });
});
