import { expect } from "chai";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import {
  ActiveSessionsResponse,
  FilterOptionsResponse,
  QueuedSessionsResponse,
  SessionStatusResponse,
  SessionSummaryResponse,
} from "../sessions/list-schemas.ts";
import { ADMIN_ACCESS, ApiFixture } from "./api-fixture.ts";
import { seedSession, type SeededSession } from "./seed-sessions.ts";

const parseActive = compileParser("active", ActiveSessionsResponse);
const parseQueued = compileParser("queued", QueuedSessionsResponse);
const parseOptions = compileParser("filter options", FilterOptionsResponse);
const parseStatus = compileParser("status", SessionStatusResponse);
const parseSummary = compileParser("summary", SessionSummaryResponse);

describe("the overview of sessions", () => {
  let api: ApiFixture;

  before(async () => {
    api = await ApiFixture.start({ env: ADMIN_ACCESS });
  });
  after(() => api[Symbol.asyncDispose]());

  const seed = async (session?: SeededSession) => seedSession(api.db, session);
  const get = async (path: string) => {
    const answer = await api.raw("GET", `/api/v1/sessions${path}`);
    const body: unknown = JSON.parse(answer.text);
    return { ...answer, body };
  };

  it("tells what runs and what waits, in their orders", async () => {
    const [late, early] = [
      await seed({ age: 10, status: "in_progress" }),
      await seed({ age: 50, status: "cancelling" }),
    ];
    const [second, first] = [
      await seed({ age: 5, status: "pending" }),
      await seed({ age: 20, status: "pending" }),
    ];
    await seed({ status: "completed" });
    const answer = await get("/active");
    expect(answer.headers.get("content-type")).to.match(/^application\/json/u);
    const { active, queued } = parseActive(answer.body);
    expect(active.map(({ id }) => id)).to.deep.equal([early, late]);
    expect(queued.map(({ id, queue_position }) => [id, queue_position])).to.deep.equal([
      [first, 1],
      [second, 2],
    ]);
    expect(parseQueued((await get("/queued")).body)).to.deep.equal({ queued });
    await api.servers.query("UPDATE alert_sessions SET lane = 'critical' WHERE session_id = $1", [second]);
    const byLane = parseQueued((await get("/queued")).body).queued;
    expect(byLane.map(({ id, lane, queue_position }) => [id, lane, queue_position])).to.deep.equal([
      [second, "critical", 1],
      [first, "normal", 2],
    ]);
    const health: unknown = JSON.parse((await api.raw("GET", "/health")).text);
    expect(health).to.have.nested.property("worker_pool.queue_depth_by_lane.critical", 1);
    expect(health).to.have.nested.property("worker_pool.queue_depth_by_lane.normal", 1);
    expect(parseOptions((await get("/filter-options")).body).statuses).to.have.length(7);
  });

  it("answers the status and the figures of a session", async () => {
    const id = await seed({ analysis: "it was the disk" });
    await api.servers.query(
      `UPDATE session_runtime SET llm_interaction_count = 3, mcp_interaction_count = 2, total_tokens = 5, total_stages = 1,
       completed_stages = 1, has_summary_stage = true WHERE session_id = $1`,
      [id],
    );
    await api.servers.query(
      "UPDATE alert_sessions SET executive_summary_error = 'no' WHERE session_id = $1",
      [id],
    );
    expect(parseStatus((await get(`/${id}/status`)).body)).to.deep.equal({
      id,
      status: "completed",
      final_analysis: "it was the disk",
      executive_summary: null,
      error_message: null,
    });
    const figures = async () => parseSummary((await get(`/${id}/summary`)).body);
    expect(await figures()).to.deep.equal({
      session_id: id,
      status: "completed",
      total_interactions: 5,
      llm_interactions: 3,
      mcp_interactions: 2,
      input_tokens: 0,
      output_tokens: 0,
      total_tokens: 5,
      cost_estimation_enabled: true,
      cost_completeness: "none",
      unpriced_interaction_count: 0,
      total_duration_ms: 10_000,
      chain_statistics: { total_stages: 2, completed_stages: 1, failed_stages: 1, current_stage_index: 2 },
      chat_message_count: 0,
      provider_fallback_count: 0,
    });
    const asked = await seed({});
    await api.servers.query(
      `INSERT INTO stages (stage_id, session_id, stage_name, stage_index, expected_agent_count, stage_type, status)
       SELECT gen_random_uuid(), $1, type, index, 1, type, status::run_status
       FROM (VALUES ('chat', 2, 'completed'), ('chat', 3, 'failed'), ('scoring', 4, 'active')) AS f(type, index, status)`,
      [asked],
    );
    const counts = { total_stages: 4, completed_stages: 1, failed_stages: 1 };
    expect(await get(`/${asked}`))
      .to.have.property("body")
      .that.includes(counts);
    // What the seeded session has counted itself: no stage.
    expect(parseSummary((await get(`/${asked}/summary`)).body).chain_statistics).to.include({
      ...counts,
      total_stages: 3,
    });
  });
});
