import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { expect } from "chai";
import { SECURITY_HEADERS } from "#shared/service/security-headers.ts";
import { until } from "../../../test/support/until.ts";
import { ApiFixture } from "./api-fixture.ts";

const NO_TOKENS = { input_tokens: 0, output_tokens: 0, thinking_tokens: 0, total_tokens: 0 };
const NO_FORKS = { may_fork: true, forked_from: null, forks: [], tools_mode: "live" };

describe("the api's HTTP surface", () => {
  let api: ApiFixture;

  before(async () => {
    api = await ApiFixture.start();
  });
  after(() => api[Symbol.asyncDispose]());

  /** Sends these bytes and nothing more; resolves with the response once the server has closed the socket. */
  const dribble = async ({ port }: ApiFixture, bytes: string): Promise<string> => {
    const socket = connect(port, "127.0.0.1");
    await once(socket, "connect");
    socket.write(bytes);
    return text(socket);
  };

  it("answers 404 for an unknown route and 405 for a method the route does not have", async () => {
    expect(await api.client.request("GET", "/api/v1/nothing")).to.deep.equal({
      status: 404,
      body: { message: "Not Found" },
    });
    for (const [method, path] of [
      ["GET", "/api/v1/alerts"],
      ["PUT", `/api/v1/sessions/${randomUUID()}`],
      ["PUT", "/health"],
      ["PROPFIND", "/health"],
    ] as const) {
      expect(await api.client.request(method, path)).to.deep.equal({
        status: 405,
        body: { message: "Method Not Allowed" },
      });
    }
  });

  it("has the security headers on every answer", async () => {
    const id = await api.client.submit("x");
    for (const [method, path] of [
      ["GET", "/health"],
      ["HEAD", "/health"],
      ["GET", `/api/v1/sessions/${id}`],
      ["GET", "/api/v1/sessions/x"],
      ["DELETE", `/api/v1/sessions/${id}`],
      ["OPTIONS", "/api/v1/alerts"],
      ["GET", "/elsewhere"],
      ["POST", "/health"],
    ] as const) {
      const { headers } = await api.raw(method, path);
      expect(Object.fromEntries(headers), `${method} ${path}`).to.include(SECURITY_HEADERS);
    }
  });

  it("lists a route's methods with a 405", async () => {
    const { headers } = await api.raw("PUT", "/health");
    expect(headers.get("allow")).to.equal("HEAD, GET");
  });

  it("takes no fixed word for the id of a session", async () => {
    for (const [method, word, allow] of [
      ["GET", "review", "PATCH"],
      ["DELETE", "review", "PATCH"],
      ["DELETE", "active", "HEAD, GET"],
      ["POST", "filter-options", "HEAD, GET"],
    ] as const) {
      const refused = await api.raw(method, `/api/v1/sessions/${word}`);
      expect([refused.status, refused.headers.get("allow")], `${method} ${word}`).to.deep.equal([405, allow]);
      expect(refused.text).to.equal((await api.raw("PUT", "/health")).text);
    }
    const { status, headers } = await api.raw("OPTIONS", "/api/v1/sessions/active");
    expect([status, headers.get("allow")]).to.deep.equal([200, "HEAD, GET"]);
    expect(await api.raw("GET", "/api/v1/sessions/triage")).to.include({ status: 404 });
  });

  it("lets no page of its own use devices, and sends no referrer", async () => {
    const { headers } = await api.raw("GET", "/health");
    expect(headers.get("permissions-policy")).to.equal("camera=(), microphone=(), geolocation=()");
    expect(headers.get("referrer-policy")).to.equal("no-referrer");
  });

  it("answers HEAD without a body", async () => {
    expect(await api.raw("HEAD", "/health")).to.include({ status: 200, text: "" });
    expect(await api.raw("HEAD", "/api/v1/nothing")).to.include({ status: 404, text: "" });
  });

  it("answers 400 for an id that is not a UUID and 404 for an unknown one", async () => {
    const notUuid = { message: "validation error on field 'session_id': must be a UUID" };
    for (const id of ["1", "..%2F..", "%00", `${randomUUID()}x`, "%E0%A4%A"]) {
      for (const path of [`/api/v1/sessions/${id}`, `/api/v1/sessions/${id}/timeline`]) {
        expect(await api.client.request("GET", path), path).to.deep.equal({ status: 400, body: notUuid });
      }
    }
    const unknown = randomUUID();
    for (const path of [`/api/v1/sessions/${unknown}`, `/api/v1/sessions/${unknown}/timeline`]) {
      expect(await api.client.request("GET", path)).to.deep.equal({
        status: 404,
        body: { message: "resource not found" },
      });
    }
  });

  it("finds a session by its id in upper case", async () => {
    const id = await api.client.submit("x");
    expect(await api.client.session(id.toUpperCase())).to.include({ id });
  });

  it("shows what a session waits for, and that it is degraded", async () => {
    const id = await api.client.submit("x");
    const waiting_for = {
      kind: "provider",
      reason: "slow down",
      since: "2026-01-01T00:00:00.000Z",
      until: "2026-01-01T00:01:00.000Z",
      pauses_deadline: true,
    };
    await api.servers.query("UPDATE session_runtime SET waiting_for = $2 WHERE session_id = $1", [
      id,
      JSON.stringify(waiting_for),
    ]);
    await api.servers.query("UPDATE alert_sessions SET degraded = true WHERE session_id = $1", [id]);
    expect(await api.client.session(id)).to.deep.include({ waiting_for, degraded: true });
  });

  it("shows a new session with null where the contract says so, and with its edges", async () => {
    const id = await api.client.submit("x");
    const { created_at, config_hash, ...session } = {
      created_at: undefined,
      config_hash: undefined,
      ...(await api.client.session(id)),
    };
    expect(Date.parse(String(created_at))).to.be.greaterThan(0);
    expect(config_hash).to.match(/^[0-9a-f]{64}$/u);
    const told = { id, alert_data: "x", alert_preview: "x", agent_type: "test", alert_type: "test" };
    expect(session).to.deep.equal({
      ...told,
      status: "pending",
      priority: "normal",
      session_metadata: {
        notice:
          "answered by a scripted demo model (provider 'scripted'), not by an LLM: its texts are those of a script",
      },
      author: "api-client",
      chain_id: "test-chain",
      degraded: false,
      error_message: null,
      final_analysis: null,
      executive_summary: null,
      executive_summary_error: null,
      runbook_url: null,
      started_at: null,
      completed_at: null,
      duration_ms: null,
      review_status: null,
      assignee: null,
      quality_rating: null,
      action_taken: null,
      investigation_feedback: null,
      feedback_edited: false,
      feedback_edited_by: null,
      feedback_edited_at: null,
      chat_enabled: true,
      chat_id: null,
      chat_message_count: 0,
      latest_score: null,
      scoring_status: null,
      score_id: null,
      cost_estimation_enabled: true,
      cost_completeness: "none",
      unpriced_interaction_count: 0,
      may_change: true,
      may_ask: true,
      ...NO_FORKS,
      memory_enabled: false,
      unread_messages: [],
      llm_interaction_count: 0,
      mcp_interaction_count: 0,
      total_stages: 2,
      completed_stages: 0,
      failed_stages: 0,
      current_stage_index: null,
      current_stage_id: null,
      has_parallel_stages: false,
      actions_executed: null,
      provider_fallback_count: 0,
      ...NO_TOKENS,
      last_seq: 0,
      edges: {},
      approvals: [],
      budgets: [],
      has_action_stages: false,
      stages: [],
      timeline: [],
    });
  });

  it("shows the timeline in the order its rows were created, the same on both routes", async () => {
    const id = await api.client.submit("x");
    const [stageId, executionId] = [randomUUID(), randomUUID()];
    await api.servers.query(
      "INSERT INTO stages (stage_id, session_id, stage_name, stage_index, expected_agent_count) VALUES ($1, $2, 'one', 1, 1)",
      [stageId, id],
    );
    await api.servers.query(
      `INSERT INTO agent_executions (execution_id, stage_id, session_id, agent_name, agent_index, iteration_strategy,
         iteration_state, llm_provider) VALUES ($1, $2, $3, 'A', 1, 'single-call', '{"iteration": 3}', 'p')`,
      [executionId, stageId, id],
    );
    // Rows of one transaction have the same time: the sequence number decides.
    await api.servers.query(
      `INSERT INTO timeline_events (event_id, session_id, stage_id, execution_id, sequence_number, event_type, status,
         content, created_at)
       SELECT gen_random_uuid(), $1, $2, $3, n, 'error', 'completed', 'row ' || n, '2026-01-01'::timestamptz
       FROM unnest(ARRAY[3, 1, 2]) AS n`,
      [id, stageId, executionId],
    );
    const session = await api.client.session(id);
    expect(session.timeline.map(({ content }) => content)).to.deep.equal(["row 1", "row 2", "row 3"]);
    expect(session.timeline[0]).to.not.have.any.keys("metadata", "llm_interaction_id");
    const timeline = await api.raw("GET", `/api/v1/sessions/${id}/timeline`);
    expect(JSON.parse(timeline.text)).to.deep.equal(
      session.timeline.map((entry) => ({ ...entry, id: entry.event_id, edges: {} })),
    );
    expect(session.stages[0]?.executions[0]).to.include({ agent_name: "A", iterations: 3 });
    expect(session.stages[0]).to.include({ started_at: null, parallel_type: null });
  });

  it("answers invalid HTTP, and what is sent too slowly, in the form of every other error", async () => {
    // Only for what is sent too slowly: such limits could end any other request.
    const timeouts = { headersMs: 200, requestMs: 300, checkEveryMs: 50 };
    await using hasty = await ApiFixture.start({ servers: api.servers, timeouts });
    const post = "POST /api/v1/alerts HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";
    const cases: [string, number, RegExp, ApiFixture?][] = [
      ["\0\u0001nonsense\r\n\r\n", 400, /not valid HTTP/u],
      ["GET /health HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n", 400, /not valid HTTP/u],
      [`GET /health HTTP/1.1\r\nHost: localhost\r\nX: ${"a".repeat(20_000)}\r\n\r\n`, 431, /16 KiB/u],
      ["GET /health HTTP/1.1\r\nHost: ", 408, /too long/u, hasty],
      [`${post}Content-Length: 99\r\n\r\n{"data`, 408, /too long/u, hasty],
    ];
    for (const [bytes, status, sentence, server = api] of cases) {
      const [head = "", body = ""] = (await dribble(server, bytes)).split("\r\n\r\n");
      expect(head).to.match(new RegExp(`^HTTP/1\\.1 ${status} `, "u"));
      expect(head).to.include("x-content-type-options: nosniff");
      expect(JSON.parse(body)).to.have.property("message").that.matches(sentence);
    }
  });

  it("reports health with every dependency's state", async () => {
    const { status, body } = await until("the streams are prepared", async () => {
      const answer = await api.client.request("GET", "/health");
      return answer.body["status"] === "healthy" && answer;
    });
    expect(status).to.equal(200);
    expect(body["version"]).to.match(/^\d+\.\d+\.\d+$/u);
    const works = { status: "healthy" };
    expect(body["checks"]).to.deep.equal({ database: works, nats: works, queue: works });
    expect(body["database"]).to.include({ status: "healthy", wait_count: 0, max_open_conns: 5 });
    expect(body["database"]).to.include.all.keys("response_time_ms", "open_connections", "in_use", "idle");
    expect(body["nats"]).to.include({ status: "healthy" });
    expect(body["configuration"]).to.have.all.keys("agents", "chains", "mcp_servers", "llm_providers");
    expect(body["worker_pool"]).to.include({
      is_healthy: true,
      db_reachable: true,
      max_concurrent: 5,
      total_workers: 5,
    });
  });

  it("computes the worker pool from leases and rows", async () => {
    const submit = async () => api.client.submit("x");
    const [running, other, orphaned] = [await submit(), await submit(), await submit()];
    const claim = `UPDATE session_runtime SET lease_owner = $2, last_interaction_at = now(),
                     lease_expires_at = now() + make_interval(secs => $3) WHERE session_id = $1`;
    await api.servers.query("UPDATE alert_sessions SET status = 'in_progress' WHERE session_id = ANY($1)", [
      [running, other, orphaned],
    ]);
    await api.servers.query(claim, [running, "pod-1", 60]);
    await api.servers.query(claim, [other, "pod-1", 60]);
    await api.servers.query(claim, [orphaned, "pod-2", -60]);
    const { body } = await api.client.request("GET", "/health");
    expect(body["worker_pool"]).to.include({
      active_sessions: 2,
      orphaned_sessions: 1,
      // One executor with two of its workers at work.
      active_workers: 2,
      total_workers: 5,
    });
    expect(JSON.stringify(body["worker_pool"])).to.match(
      /"worker_stats":\[\{"id":"pod-1","active_sessions":2,"last_activity":"\d{4}-[^"]+Z","status":"working"\}\]/u,
    );
  });
});
