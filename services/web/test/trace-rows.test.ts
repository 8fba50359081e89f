import { expect } from "chai";
import type { ApiResponse } from "#shared/client/api-types.ts";
import { barGeometry } from "../screens/trace/bar-geometry.ts";
import { rowWindow, scrollTopFor } from "../screens/trace/row-window.ts";
import { foldRows } from "../screens/trace/fold-rows.ts";
import { rowTitle } from "../screens/trace/row-text.ts";
import { resultText } from "../screens/trace/result-text.ts";
import { traceRows } from "../screens/trace/trace-rows.ts";

type Trace = ApiResponse<"GET /api/v1/sessions/:id/trace">;
type Session = Parameters<typeof traceRows>[1];
type Execution = Trace["stages"][number]["executions"][number];
type Llm = Execution["llm_interactions"][number];
type Mcp = Execution["mcp_interactions"][number];

const BEGIN = Date.parse("2026-03-10T12:00:00.000Z");
const at = (ms: number) => new Date(BEGIN + ms).toISOString();

const ids = { session_id: "s", stage_id: "stage", execution_id: "agent" };

function llm(id: string, end: number, duration_ms: number, more: Partial<Llm> = {}): Llm {
  const call = { id, interaction_id: id, ...ids, created_at: at(end), duration_ms, model_name: "m" };
  return { ...call, interaction_type: "iteration", llm_request: {}, llm_response: {}, ...more };
}

function mcp(id: string, end: number, duration_ms: number, more: Partial<Mcp> = {}): Mcp {
  const call = { id, interaction_id: id, ...ids, created_at: at(end), duration_ms, server_name: "k8s" };
  return { ...call, interaction_type: "tool_call", tool_name: "pods", ...more };
}

function stage(status: "active" | "completed", completed: number | null): Session["stages"][number] {
  const run = {
    status,
    started_at: at(0),
    completed_at: completed === null ? null : at(completed),
    duration_ms: null,
  };
  const tokens = { input_tokens: 0, output_tokens: 0, thinking_tokens: 0, total_tokens: 0 };
  return {
    id: "stage",
    session_id: "s",
    stage_id: "stage",
    stage_name: "look",
    stage_index: 1,
    stage_type: "investigation",
    parallel_type: null,
    expected_agent_count: 1,
    ...run,
    executions: [
      {
        execution_id: "agent",
        stage_id: "stage",
        agent_name: "Investigator",
        agent_index: 1,
        llm_provider: "p",
        llm_backend: "",
        model_name: "gpt",
        ...run,
        error_message: null,
        ...tokens,
      },
    ],
  };
}

type Entry = Session["timeline"][number];
function text(llm_interaction_id: string, created: number, updated: number): Entry {
  const times = { created_at: at(created), updated_at: at(updated) };
  const entry = { event_id: "e", sequence_number: 1, content: "", llm_interaction_id };
  return { ...entry, ...ids, ...times, event_type: "llm_thinking", status: "completed" };
}

const session = (stages: Session["stages"], timeline: Session["timeline"] = []) => ({
  stages,
  timeline,
});

const trace = (calls: { llm?: Llm[]; mcp?: Mcp[] }): Trace => ({
  session_id: "s",
  stages: [
    {
      stage_id: "stage",
      stage_name: "look",
      stage_type: "investigation",
      executions: [
        {
          execution_id: "agent",
          agent_name: "Investigator",
          llm_interactions: calls.llm ?? [],
          mcp_interactions: calls.mcp ?? [],
        },
      ],
    },
  ],
  session_interactions: [],
});

describe("traceRows(trace, session, now)", () => {
  it("puts an agent that another one has started below it, under both names", () => {
    const [stageTrace] = trace({ llm: [llm("first", 1_000, 1_000)] }).stages;
    const [parent] = stageTrace?.executions ?? [];
    if (stageTrace === undefined || parent === undefined) throw new Error("no execution");
    const child = { ...parent, execution_id: "child", agent_name: "Looker", parent_execution_id: "agent" };
    const executions = [
      { ...parent, sub_agents: [{ ...child, llm_interactions: [llm("below", 1_500, 300)] }] },
    ];
    const rows = traceRows(
      { ...trace({}), stages: [{ ...stageTrace, executions }] },
      session([stage("completed", 5_100)]),
      BEGIN,
    );
    expect(
      rows.map(({ key, title }) => [key, title]).filter(([, title]) => title?.includes("Look")),
    ).to.deep.equal([["child", "Investigator › Looker"]]);
    expect(rows.map(({ key }) => key)).to.deep.equal(["stage", "agent", "first", "child", "below"]);
  });

  it("puts the calls under their agent and stage by their start", () => {
    const rows = traceRows(
      trace({
        llm: [llm("first", 1_000, 1_000), llm("second", 5_000, 2_000)],
        mcp: [mcp("tool", 2_500, 1_400)],
      }),
      session([stage("completed", 5_100)]),
      BEGIN,
    );
    expect(rows.map(({ key, depth }) => [key, depth])).to.deep.equal([
      ["stage", 0],
      ["agent", 1],
      ["first", 2],
      ["tool", 2],
      ["second", 2],
    ]);
    expect(rows.map(({ start, end }) => [start - BEGIN, end - BEGIN])).to.deep.equal([
      [0, 5_100],
      [0, 5_100],
      [0, 1_000],
      [1_100, 2_500],
      [3_000, 5_000],
    ]);
    expect(rows.map(rowTitle)).to.deep.equal([
      "look",
      "Investigator · gpt",
      "LLM call 1 → k8s.pods",
      "k8s.pods",
      "LLM call 2",
    ]);
  });

  it("folds equal tool calls that follow each other, unless one of them is chosen", () => {
    const call = (id: string, end: number, name: string) =>
      mcp(id, end, 100, { tool_arguments: { namespace: name } });
    const rows = traceRows(
      trace({
        mcp: [
          call("a", 1_000, "shop"),
          call("b", 2_000, "shop"),
          call("c", 3_000, "shop"),
          call("d", 4_000, "kube"),
        ],
      }),
      session([stage("completed", 5_000)]),
      BEGIN,
    );
    const [, , fold, other] = foldRows(rows, "d");
    expect([fold, other].map((row) => row && rowTitle(row))).to.deep.equal([
      "k8s.pods namespace=shop × 3",
      "k8s.pods namespace=kube",
    ]);
    expect(fold?.figures.calls).to.equal(3);
    expect([fold?.start, fold?.end]).to.deep.equal([BEGIN + 900, BEGIN + 3_000]);
    expect(foldRows(rows, "b")).to.deep.equal(rows);
  });

  it("has the stages in the order in which they began", () => {
    const [first] = trace({}).stages;
    if (first === undefined) throw new Error("no stage");
    const later = { ...stage("completed", 5_100), stage_id: "later", started_at: at(4_000) };
    const rows = traceRows(
      { ...trace({}), stages: [{ ...first, stage_id: "later", executions: [] }, first] },
      session([later, stage("completed", 3_000)]),
      BEGIN,
    );
    expect(rows.filter(({ kind }) => kind === "stage").map(({ key }) => key)).to.deep.equal([
      "stage",
      "later",
    ]);
  });

  it("divides a model call where its first text was stored", () => {
    const [, , streamed, whole, early] = traceRows(
      trace({ llm: [llm("a", 1_000, 1_000), llm("b", 2_000, 500), llm("c", 3_000, 500)] }),
      session(
        [stage("completed", 3_000)],
        [text("a", 600, 1_000), text("a", 400, 900), text("b", 2_000, 2_000), text("c", 2_490, 3_000)],
      ),
      BEGIN,
    );
    const parts = (row: typeof streamed) =>
      row?.segments.map(({ kind, start, end }) => [kind, start - BEGIN, end - BEGIN]);
    expect(parts(streamed)).to.deep.equal([
      ["wait", 0, 400],
      ["stream", 400, 1_000],
    ]);
    expect(parts(whole)).to.deep.equal([["wait", 1_500, 2_000]]);
    expect(parts(early)).to.deep.equal([["stream", 2_500, 3_000]]);
  });

  it("adds up tokens, costs, failures and calls without a price", () => {
    const [look, agent, , , tool] = traceRows(
      trace({
        llm: [
          llm("a", 1_000, 1, { total_tokens: 100, estimated_cost_usd: 0.5 }),
          llm("b", 2_000, 1, { total_tokens: 50, error_message: "no" }),
        ],
        mcp: [mcp("c", 3_000, 1, { tool_result: { content: "no such pod", is_error: true } })],
      }),
      session([stage("completed", 3_000)]),
      BEGIN,
    );
    expect(agent?.figures).to.deep.equal({ tokens: 150, usd: 0.5, unpriced: 1, calls: 3, failures: 2 });
    expect(look?.figures).to.deep.equal(agent?.figures);
    expect(tool?.isFailed).to.equal(true);
    expect(agent?.isFailed).to.equal(false);
  });

  it("ends what still runs now", () => {
    const [look, agent] = traceRows(trace({}), session([stage("active", null)]), BEGIN + 9_000);
    expect([look?.end, agent?.end]).to.deep.equal([BEGIN + 9_000, BEGIN + 9_000]);
  });
});

describe("barGeometry(rows, options)", () => {
  const rows = traceRows(
    trace({
      llm: [
        llm("a", 1_000, 1_000, { total_tokens: 100, estimated_cost_usd: 1 }),
        llm("b", 8_000_000, 1_000, { total_tokens: 400 }),
      ],
    }),
    session([stage("completed", 8_000_000)]),
    BEGIN,
  );

  it("collapses the time in which an agent waits", () => {
    const { bars, scale } = barGeometry(rows, { measure: "time", collapsesIdle: true });
    expect(scale?.gaps).to.have.length(1);
    expect(bars[2]?.[0]?.width).to.be.closeTo(0.4875, 1e-6);
    expect(bars[0]?.[0]).to.deep.equal({ kind: "run", left: 0, width: 1 });
    const full = barGeometry(rows, { measure: "time", collapsesIdle: false });
    expect(full.bars[2]?.[0]?.width).to.be.lessThan(0.001);
  });

  it("shows shares of the largest call, and no bar for nothing", () => {
    const tokens = barGeometry(rows, { measure: "tokens", collapsesIdle: true });
    expect(tokens.bars.map(([bar]) => bar?.width)).to.deep.equal([1, 1, 0.25, 1]);
    const cost = barGeometry(rows, { measure: "cost", collapsesIdle: true });
    expect(cost.bars.map(([bar]) => bar?.width)).to.deep.equal([1, 1, 1, undefined]);
  });

  it("has no bars without rows", () => {
    expect(barGeometry([], { measure: "time", collapsesIdle: true }).bars).to.deep.equal([]);
    expect(barGeometry([], { measure: "cost", collapsesIdle: true }).bars).to.deep.equal([]);
  });
});

describe("rowWindow(view)", () => {
  it("has the rows near the view only", () => {
    const view = { scrollTop: 30_000, height: 600, rowHeight: 30, count: 10_000 };
    expect(rowWindow(view)).to.deep.equal({ from: 988, to: 1_032 });
    expect(rowWindow({ ...view, scrollTop: 0 })).to.deep.equal({ from: 0, to: 32 });
    expect(rowWindow({ ...view, count: 5 })).to.deep.equal({ from: 5, to: 5 });
    expect(rowWindow({ ...view, count: 0, scrollTop: 0 })).to.deep.equal({ from: 0, to: 0 });
  });

  it("scrolls as little as possible", () => {
    const view = { scrollTop: 300, height: 90, rowHeight: 30 };
    expect([9, 10, 12, 13].map((index) => scrollTopFor(index, view))).to.deep.equal([270, 300, 300, 330]);
  });
});

describe("resultText(result)", () => {
  it("indents JSON and leaves any other text as it is", () => {
    expect(resultText({ content: "NAME  READY\npod   1/1", is_error: false })).to.equal(
      "NAME  READY\npod   1/1",
    );
    expect(resultText({ content: '{"a":[1]}' })).to.equal('{\n  "a": [\n    1\n  ]\n}');
    expect(resultText({ content: "[info] started" })).to.equal("[info] started");
    expect(resultText({ rows: 2 })).to.equal('{\n  "rows": 2\n}');
    expect(resultText(undefined)).to.equal(undefined);
  });
});
