import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { Type } from "typebox";
import { openBus } from "#shared/bus/open-bus.ts";
import { subscribe } from "#shared/bus/subscribe.ts";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { inboxNoticeCodec } from "#shared/contracts/session-signals.ts";
import { SUBJECTS } from "#shared/contracts/subjects.ts";
import { until } from "../../../test/support/until.ts";
import { STEERING_BOUNDS } from "../steering/steering-bounds.ts";
import { ApiFixture } from "./api-fixture.ts";

const parseObject = compileParser("JSON object", Type.Record(Type.String(), Type.Unknown()));

describe("messages to the agents of a session", () => {
  let api: ApiFixture;

  before(async () => {
    api = await ApiFixture.start();
    await until(
      "the api is connected to the bus",
      async () => (await api.deps.dispatcher.queued()).size >= 0,
    );
  });
  after(() => api[Symbol.asyncDispose]());

  const send = async (
    id: string,
    body: unknown,
    headers: Record<string, string> = {},
    on = api,
  ): Promise<{ status: number; headers: Record<string, unknown>; body: Record<string, unknown> }> => {
    const {
      status,
      text,
      headers: answered,
    } = await on.raw("POST", `/api/v1/sessions/${id}/messages`, {
      headers: { "content-type": "application/json", ...headers },
      body: Buffer.from(JSON.stringify(body)),
    });
    return { status, headers: Object.fromEntries(answered), body: parseObject(JSON.parse(text)) };
  };
  const submit = async (headers: Record<string, string> = {}, on = api) => {
    const submitted = await on.raw("POST", "/api/v1/alerts", {
      headers: { "content-type": "application/json", ...headers },
      body: Buffer.from('{"data":"x"}'),
    });
    return String(parseObject(JSON.parse(submitted.text))["session_id"]);
  };
  /** A running session with agents of these statuses. */
  const running = async (...statuses: string[]) => {
    const [id, stage] = [await submit(), randomUUID()];
    await api.servers.query("UPDATE alert_sessions SET status = 'in_progress' WHERE session_id = $1", [id]);
    await api.servers.query(
      `INSERT INTO stages (stage_id, session_id, stage_name, stage_index, expected_agent_count, status, started_at)
       VALUES ($1, $2, 'one', 1, $3, 'active', now())`,
      [stage, id, statuses.length],
    );
    const agents: string[] = [];
    for (const [index, status] of statuses.entries()) {
      agents.push(randomUUID());
      await api.servers.query(
        `INSERT INTO agent_executions (execution_id, stage_id, session_id, agent_name, agent_index, iteration_strategy, iteration_state, llm_provider, llm_backend, status)
         VALUES ($1, $2, $3, 'Agent', $4, 'react', '{}', 'p', 'scripted', $5::run_status)`,
        [agents.at(-1), stage, id, index + 1, status],
      );
    }
    return { id, agents };
  };
  const stored = async (id: string) =>
    api.servers.query(
      "SELECT mode, content, author, targets, after_stage, after_agent FROM steering_messages WHERE session_id = $1 ORDER BY ordinal",
      [id],
    );

  it("are stored masked, with an event, an audit entry, a notice for the owner, and are unread", async () => {
    const { id, agents } = await running("completed", "active", "pending");
    const notices: number[] = [];
    const { signal } = new AbortController();
    await using bus = await openBus({
      url: api.servers.nats.url,
      name: "listener",
      log: api.deps.log,
      signal,
    });
    const listening = subscribe(bus, SUBJECTS.inbox(id), inboxNoticeCodec, ({ inbox_seq }) =>
      notices.push(inbox_seq),
    );
    await listening.live();
    const text = "use password=Hunter2Secret99 there";
    const { status, body } = await send(id, { mode: "note", content: text }, { "x-forwarded-user": "jane" });
    expect(status).to.equal(202);
    expect(body).to.include({ session_id: id, mode: "note" });
    expect(body["execution_ids"]).to.deep.equal(agents.slice(1));
    const [row] = await stored(id);
    expect(row).to.deep.include({ mode: "note", author: "jane", targets: agents.slice(1) });
    expect(JSON.stringify(row)).to.match(/use password=\[MASKED_PASSWORD:[0-9a-f]{6}\] there/u);
    const events = await api.servers.query(
      "SELECT payload FROM events WHERE session_id = $1 AND payload->>'type' = 'steer.received'",
      [id],
    );
    expect(events).to.have.length(1);
    expect(JSON.stringify(events)).to.include('"author":"jane"').and.not.include("Hunter2");
    await until("the owner is told", () => notices.length === 1);
    expect(notices).to.deep.equal([1]);
    const session = await api.client.session(id);
    expect(session).to.have.nested.property("unread_messages[0].message_id", body["message_id"]);
    expect(session)
      .to.have.nested.property("unread_messages[0].execution_ids")
      .that.deep.equals(agents.slice(1));
    await api.servers.query(
      "INSERT INTO steering_deliveries (message_id, execution_id, session_id) VALUES ($1, $2, $3)",
      [body["message_id"], agents[1], id],
    );
    const later = await api.client.session(id);
    expect(later).to.have.nested.property("unread_messages[0].execution_ids").that.deep.equals([agents[2]]);
    const audit = await until("the audit log has it", async () => {
      const rows = await api.servers.query(
        "SELECT result, detail->>'mode' AS mode FROM audit_log WHERE session_id = $1 AND action = 'session.steer'",
        [id],
      );
      return rows.length > 0 ? rows : undefined;
    });
    expect(audit).to.deep.equal([{ result: "allowed", mode: "note" }]);
  });

  it("are for one agent, or for those that start next", async () => {
    const { id, agents } = await running("active", "active");
    await send(id, { mode: "conclude", execution_id: agents[1]?.toUpperCase() });
    const idle = await running("completed", "failed");
    const { body } = await send(idle.id, { mode: "note", content: "x" });
    expect(body["execution_ids"]).to.equal(null);
    const pending = await submit();
    expect(await send(pending, { mode: "note", content: "x" })).to.have.property("status", 202);
    expect((await stored(id))[0]).to.deep.include({ mode: "conclude", content: null, targets: [agents[1]] });
    expect((await stored(idle.id))[0]).to.deep.include({ targets: null, after_stage: 1, after_agent: 2 });
    expect((await stored(pending))[0]).to.deep.include({ targets: null, after_stage: 0, after_agent: 0 });
  });

  it("are refused with the field and what is wrong with it", async () => {
    const { id, agents } = await running("active", "timed_out");
    const other = await running("active");
    const refused: readonly [object, RegExp][] = [
      [{}, /'mode'.*required/u],
      [{ mode: "shout", content: "x" }, /'mode'/u],
      [{ mode: "note" }, /'content'.*required for mode note/u],
      [{ mode: "note", content: " \n " }, /'content'/u],
      [{ mode: "note", content: 7 }, /'content'.*string/u],
      [{ mode: "note", content: "x".repeat(4_001) }, /'content'.*4000/u],
      [{ mode: "note", content: "x", execution_id: "nobody" }, /'execution_id'/u],
      [
        { mode: "note", content: "x", execution_id: randomUUID() },
        /'execution_id': is no execution of this session/u,
      ],
      [{ mode: "note", content: "x", execution_id: other.agents[0] }, /'execution_id': is no execution/u],
      [
        { mode: "note", content: "x", execution_id: agents[1] },
        /'execution_id': agent "Agent" has ended: it is timed_out/u,
      ],
    ];
    for (const [body, why] of refused) {
      const answer = await send(id, body);
      expect(answer.status, JSON.stringify(body)).to.equal(400);
      expect(String(answer.body["error"] ?? answer.body["message"]), JSON.stringify(body)).to.match(why);
    }
    expect(await stored(id)).to.deep.equal([]);
    expect(await send(randomUUID(), { mode: "note", content: "x" })).to.have.property("status", 404);
    for (const [status, why] of [
      ["completed", /it is completed.*chat/u],
      ["cancelling", /being cancelled/u],
    ] as const) {
      await api.servers.query(
        "UPDATE alert_sessions SET status = $2::session_status, completed_at = CASE WHEN $2 = 'completed' THEN now() END WHERE session_id = $1",
        [id, status],
      );
      const answer = await send(id, { mode: "note", content: "x" });
      expect(answer.status).to.equal(409);
      expect(JSON.stringify(answer.body)).to.match(why);
    }
    const [runtime] = await api.servers.query("SELECT inbox_seq FROM session_runtime WHERE session_id = $1", [
      id,
    ]);
    expect(runtime).to.deep.equal({ inbox_seq: 0 });
  });

  it("skip the calls that are running now, and no other", async () => {
    const { id, agents } = await running("active", "active");
    const none = await send(id, { mode: "skip_tool" });
    expect(none.status).to.equal(409);
    expect(JSON.stringify(none.body)).to.include("no tool call is running");
    expect(await send(id, { mode: "skip_tool", content: "x" })).to.have.property("status", 400);
    const [call, over] = [randomUUID(), randomUUID()];
    await api.servers.query(
      `INSERT INTO timeline_events (event_id, session_id, stage_id, execution_id, sequence_number, event_type, status, content, mcp_interaction_id)
       SELECT e.event_id, $1, stage_id, execution_id, e.n, 'llm_tool_call', 'completed', '{}', e.call
       FROM agent_executions, (VALUES ($3::uuid, 1, NULL::uuid), ($4::uuid, 2, gen_random_uuid())) AS e(event_id, n, call)
       WHERE execution_id = $2`,
      [id, agents[1], call, over],
    );
    expect(await send(id, { mode: "skip_tool", execution_id: agents[0] })).to.have.property("status", 409);
    const { status, body } = await send(id, { mode: "skip_tool" });
    expect({ status, agents: body["execution_ids"] }).to.deep.equal({ status: 202, agents: [agents[1]] });
    const calls = await api.servers.query(
      "SELECT calls, targets FROM steering_messages WHERE session_id = $1",
      [id],
    );
    expect(calls).to.deep.equal([{ calls: [call], targets: [agents[1]] }]);
  });

  it("are stored once for each Idempotency-Key", async () => {
    const { id } = await running("active");
    const key = { "idempotency-key": "k-1" };
    const first = await send(id, { mode: "note", content: "x" }, key);
    await api.servers.query(
      "UPDATE alert_sessions SET status = 'completed', completed_at = now() WHERE session_id = $1",
      [id],
    );
    const again = await send(id, { mode: "note", content: "x" }, key);
    expect(again).to.deep.include({ status: 202, body: first.body });
    expect(again.headers).to.have.property("idempotent-replayed", "true");
    expect(await send(id, { mode: "note", content: "y" }, key)).to.have.property("status", 422);
    expect(await send(id, { mode: "note", content: "x" }, { "idempotency-key": "a b" })).to.have.property(
      "status",
      400,
    );
    expect(await stored(id)).to.have.length(1);
  });

  it("are refused once there are too many, however many come at once", async () => {
    // Few enough that all come within a minute.
    const MORE = 50;
    const { id } = await running("active");
    const posted = await Promise.all(
      Array.from({ length: STEERING_BOUNDS.perMinute + MORE }, async (_, n) =>
        send(id, { mode: "note", content: String(n) }),
      ),
    );
    const counts = Map.groupBy(posted, ({ status }) => status);
    expect(counts.get(202)).to.have.length(STEERING_BOUNDS.perMinute);
    expect(counts.get(429)).to.have.length(MORE);
    expect(await stored(id)).to.have.length(STEERING_BOUNDS.perMinute);
  });

  it("have one order, and are refused with Retry-After once they are too many", async () => {
    const { id } = await running("active");
    const { perMinute, messages } = STEERING_BOUNDS;
    const posted = await Promise.all(
      Array.from({ length: perMinute }, async (_, n) => send(id, { mode: "note", content: String(n) })),
    );
    expect(new Set(posted.map(({ status }) => status))).to.deep.equal(new Set([202]));
    const order = await api.servers.query(
      `SELECT count(*)::int AS n, min(ordinal) AS first, max(ordinal) AS last,
              json_agg(content ORDER BY ordinal)::text = (SELECT json_agg(payload->>'content' ORDER BY seq)::text FROM events
                WHERE session_id = $1 AND payload->>'type' = 'steer.received') AS same
       FROM steering_messages WHERE session_id = $1`,
      [id],
    );
    expect(order).to.deep.equal([{ n: perMinute, first: 1, last: perMinute, same: true }]);
    const refused = await send(id, { mode: "note", content: "one more" });
    expect(refused.status).to.equal(429);
    expect(Number(refused.headers["retry-after"])).to.be.within(1, 60);
    await api.servers.query(
      "UPDATE steering_messages SET created_at = now() - interval '1 h' WHERE session_id = $1",
      [id],
    );
    await api.servers.query(
      `INSERT INTO steering_messages (message_id, session_id, ordinal, mode, content, author, after_stage, after_agent, calls, created_at)
       SELECT gen_random_uuid(), $1, 1000 + n, 'note', 'x', 'jane', 0, 0, '{}', now() - interval '1 h' FROM generate_series(1, $2) n`,
      [id, messages - perMinute],
    );
    const full = await send(id, { mode: "note", content: "x" });
    expect(full.status).to.equal(429);
    expect(JSON.stringify(full.body)).to.include(`${messages} messages in all`);
    const long = await running("active");
    for (let n = 0; n < STEERING_BOUNDS.characters / 4_000; n += 1) {
      expect(await send(long.id, { mode: "note", content: "x".repeat(4_000) })).to.have.property(
        "status",
        202,
      );
    }
    expect(await send(long.id, { mode: "note", content: "x" })).to.have.property("status", 429);
    expect(await send(long.id, { mode: "conclude" })).to.have.property("status", 202);
  });
});
