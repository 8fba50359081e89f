import { randomBytes, randomUUID } from "node:crypto";
import { expect } from "chai";
import { Type } from "typebox";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { until } from "../../../test/support/until.ts";
import { eraseHidden, eraseRequested } from "../sweeper/erase-sessions.ts";
import { purgeEnded } from "../sweeper/purge-ended.ts";
import { ADMIN_ACCESS, ApiFixture } from "./api-fixture.ts";
import { SessionEvents, statusEvent, textEvent, times } from "./session-events.ts";

/** Tables with rows of a session, in addition to `alert_sessions` itself. */
const TABLES = [
  "session_runtime",
  "stages",
  "agent_executions",
  "messages",
  "llm_interactions",
  "mcp_interactions",
  "timeline_events",
  "tool_calls",
  "tool_results",
  "events",
  "idempotency_keys",
  "search_progress",
];
const parseRead = compileParser(
  "rows of events",
  Type.Array(Type.Object({ deleted: Type.Integer(), read: Type.Integer() })),
);
const parseCount = compileParser("count", Type.Object({ n: Type.Integer() }));

const parseAccepted = compileParser(
  "accepted alert",
  Type.Object({ session_id: Type.String() }, { additionalProperties: true }),
);

/** One row in each table that an executor writes, linked as an executor links them. */
const INSERT_ROWS = `
WITH stage AS (
  INSERT INTO stages (stage_id, session_id, stage_name, stage_index, expected_agent_count)
  VALUES (gen_random_uuid(), $1, 'analysis', 1, 1) RETURNING stage_id
), execution AS (
  INSERT INTO agent_executions (execution_id, stage_id, session_id, agent_name, agent_index, iteration_strategy,
                                iteration_state, llm_provider)
  SELECT gen_random_uuid(), stage_id, $1, 'agent', 1, 'react', '{"iteration":1}', 'scripted' FROM stage
  RETURNING stage_id, execution_id
), message AS (
  INSERT INTO messages (message_id, session_id, stage_id, execution_id, role, content, sequence_number)
  SELECT gen_random_uuid(), $1, stage_id, execution_id, 'assistant', 'kept', n FROM execution, generate_series(1, $2::int) AS n
  RETURNING message_id, sequence_number
), llm AS (
  INSERT INTO llm_interactions (interaction_id, session_id, stage_id, execution_id, interaction_type, model_name,
                                llm_request, llm_response, last_message_id)
  SELECT gen_random_uuid(), $1, stage_id, execution_id, 'iteration', 'm', '{}', '{}',
         (SELECT message_id FROM message WHERE sequence_number = 1) FROM execution
  RETURNING interaction_id
), mcp AS (
  INSERT INTO mcp_interactions (interaction_id, session_id, stage_id, execution_id, interaction_type, server_name)
  SELECT gen_random_uuid(), $1, stage_id, execution_id, 'tool_call', 's' FROM execution RETURNING interaction_id
), timeline AS (
  INSERT INTO timeline_events (event_id, session_id, stage_id, execution_id, sequence_number, event_type, status, content,
                               llm_interaction_id, mcp_interaction_id)
  SELECT gen_random_uuid(), $1, stage_id, execution_id, 1, 'tool_result', 'completed', 'kept',
         (SELECT interaction_id FROM llm), (SELECT interaction_id FROM mcp) FROM execution
), call AS (
  INSERT INTO tool_calls (call_id, session_id, execution_id, epoch, name, read_only, state, result, completed_at)
  SELECT gen_random_uuid()::text, $1, execution_id, 1, 's.t', true, 'completed', 'a result', now() FROM execution
  RETURNING call_id
)
INSERT INTO tool_results (call_id, session_id, bytes, lines, content)
SELECT call_id, $1, 14, 1, 'a whole result' FROM call`;

/** All tables with their indexes and their large values, in bytes. */
const SIZE = `
SELECT sum(pg_total_relation_size(oid))::int AS n FROM pg_class
WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace`;

const OTHER_SNAPSHOTS = `
SELECT count(*)::int AS n FROM pg_stat_activity
WHERE datname = current_database() AND backend_xmin IS NOT NULL AND pid <> pg_backend_pid()`;

describe("the clean-up", () => {
  const resources = new AsyncDisposableStack();
  const { signal } = new AbortController();
  let api: ApiFixture;
  let events: SessionEvents;

  before(async () => {
    api = resources.use(await ApiFixture.start({ env: ADMIN_ACCESS }));
    events = resources.use(await SessionEvents.of(api));
  });
  after(() => resources.disposeAsync());

  const query = async (sql: string, parameters: unknown[]) => api.servers.query(sql, parameters);
  const count = async (table: string, id: string) => {
    const [row] = await query(`SELECT count(*)::int AS n FROM ${table} WHERE session_id = $1`, [id]);
    return parseCount(row).n;
  };
  /** A session with rows in every table whose end, and everything in it, is some days old. */
  const ended = async (days: number, { messages = 1, texts = 3 } = {}) => {
    const { text } = await api.raw("POST", "/api/v1/alerts", {
      body: Buffer.from('{"data":"x"}'),
      headers: { "content-type": "application/json", "idempotency-key": randomUUID() },
    });
    const { session_id: id } = parseAccepted(JSON.parse(text));
    await events.commit(id, [statusEvent(id), ...times(texts, (n) => textEvent(id, `text ${n}`))]);
    await query(INSERT_ROWS, [id, messages]);
    await events.complete(id);
    await query(
      "UPDATE alert_sessions SET completed_at = now() - make_interval(days => $2) WHERE session_id = $1",
      [id, days],
    );
    for (const [table, column] of [
      ["events", "created_at"],
      ["tool_calls", "completed_at"],
      ["tool_results", "created_at"],
    ]) {
      await query(
        `UPDATE ${table} SET ${column} = now() - make_interval(days => $2, secs => 60) WHERE session_id = $1`,
        [id, days],
      );
    }
    return id;
  };
  const retire = async (id: string, days: number) =>
    query("UPDATE alert_sessions SET deleted_at = now() - make_interval(days => $2) WHERE session_id = $1", [
      id,
      days,
    ]);
  const read = async (id: string, afterSeq: number, accept = "application/json") => {
    const { status, text } = await api.raw("GET", `/api/v1/sessions/${id}/events?after_seq=${afterSeq}`, {
      headers: { accept },
    });
    const body: unknown = text === "" ? {} : JSON.parse(text);
    return { status, body };
  };

  it("deletes events and the calls' results of sessions that ended before the period, and nothing else", async () => {
    const [old, young] = [await ended(8, { texts: 1_200 }), await ended(6)];
    const running = await api.client.submit("x");
    await events.commit(running, [statusEvent(running)]);
    await query("UPDATE events SET created_at = now() - interval '8 days' WHERE session_id = $1", [running]);
    await purgeEnded(api.deps.db, 7, signal);
    expect([
      await count("events", old),
      await count("events", young),
      await count("events", running),
    ]).to.deep.equal([0, 5, 1]);
    expect([await count("tool_results", old), await count("tool_results", young)]).to.deep.equal([0, 1]);
    for (const [id, result] of [
      [old, null],
      [young, "a result"],
    ] as const) {
      expect(await query("SELECT result, state FROM tool_calls WHERE session_id = $1", [id])).to.deep.equal([
        { result, state: "completed" },
      ]);
    }
    for (const table of ["messages", "timeline_events", "mcp_interactions"]) {
      expect(await count(table, old), table).to.equal(1);
    }
  });

  it("reads no more events than it deletes, also of sessions that statistics do not know to be marked", async () => {
    // Events are found by their numbers, up to those of the first session that is kept.
    await query("DELETE FROM alert_sessions", []);
    await query(
      `WITH many AS (
         INSERT INTO alert_sessions (session_id, alert_data, agent_type, alert_type, chain_id, config_hash, status,
           created_at, started_at, completed_at)
         SELECT gen_random_uuid(), 'many', 'test', 'test', 'test-chain', 'hash', 'completed',
           now() - interval '9 days', now() - interval '9 days', now() - interval '9 days' FROM generate_series(1, 100)
         RETURNING session_id
       ), runtime AS (INSERT INTO session_runtime (session_id, last_seq) SELECT session_id, 400 FROM many)
       INSERT INTO events (session_id, seq, payload, created_at)
       SELECT session_id, n, '{"type": "x"}', now() - interval '9 days' + n * interval '1 second' FROM many, generate_series(1, 400) AS n`,
      [],
    );
    await query("ANALYZE events, session_runtime, alert_sessions", []);
    await query(
      "UPDATE session_runtime r SET events_purged_at = now() FROM alert_sessions s WHERE s.session_id = r.session_id AND s.alert_data = 'many'",
      [],
    );
    const touched = await api.db.transaction(async (transaction) => {
      await transaction.query("SELECT tarsy_purge_events(7, 500)");
      return transaction.query(
        "SELECT n_tup_del AS deleted, seq_tup_read + idx_tup_fetch AS read FROM pg_stat_xact_user_tables WHERE relname = 'events'",
      );
    });
    // Once to find and lock them, and once to delete them.
    const [row] = parseRead(touched);
    expect(row).to.include({ deleted: 500 });
    expect(row?.read).to.be.within(500, 1_500);
    await query("DELETE FROM alert_sessions WHERE alert_data = 'many'", []);
  });

  it("lets readers know, and leaves the timeline", async () => {
    const id = await ended(8);
    await purgeEnded(api.deps.db, 7, signal);
    const gone = {
      status: 410,
      body: {
        message: `the events of session ${id} have been deleted because it ended long ago: read its timeline over REST`,
        code: "events_purged",
      },
    };
    expect(await read(id, 0)).to.deep.equal(gone);
    expect(await read(id, 0, "text/event-stream")).to.deep.equal(gone);
    // A client that has everything misses nothing.
    expect(await read(id, 5)).to.deep.include({ status: 200 });
    expect(await read(id, 5, "text/event-stream")).to.deep.include({ status: 204 });
    const session = await api.client.session(id);
    expect(session).to.have.property("events_purged_at");
    expect(session.timeline.map(({ content }) => content)).to.deep.equal(["kept"]);
  });

  it("shows no gap while a purge is half done", async () => {
    const id = await ended(8);
    await query("UPDATE session_runtime SET events_purged_at = now() WHERE session_id = $1", [id]);
    await query("DELETE FROM events WHERE session_id = $1 AND seq <= 2", [id]);
    expect(await read(id, 0)).to.include({ status: 410 });
    expect(await read(id, 3, "text/event-stream")).to.include({ status: 410 });
  });

  it("deletes every row of sessions that were soft-deleted before the period, and no others", async () => {
    const [old, young, kept] = [await ended(100, { messages: 1_200 }), await ended(100), await ended(100)];
    await retire(old, 31);
    await retire(young, 29);
    await eraseHidden(api.deps.db, 30, signal);
    for (const table of ["alert_sessions", ...TABLES]) {
      expect(await count(table, old), table).to.equal(0);
      expect(await count(table, young), table).to.be.above(0);
      expect(await count(table, kept), table).to.be.above(0);
    }
    expect(await api.client.request("GET", `/api/v1/sessions/${old}`)).to.include({ status: 404 });
  });

  it("removes every row of a session deleted by request, and no others", async () => {
    const [deleted, hidden] = [await ended(1, { messages: 1_200 }), await ended(1)];
    await retire(hidden, 1);
    expect(await api.raw("DELETE", `/api/v1/sessions/${deleted}`)).to.include({ status: 204 });
    await eraseRequested(api.deps.db, signal);
    for (const table of ["alert_sessions", ...TABLES]) {
      expect(await count(table, deleted), table).to.equal(0);
      expect(await count(table, hidden), table).to.be.above(0);
    }
  });

  it("leaves room that is used again", async () => {
    const sizes: number[] = [];
    const alert = JSON.stringify({ data: randomBytes(40_000).toString("base64") });
    for (let round = 0; round < 6; round += 1) {
      for (let n = 0; n < 25; n += 1) {
        const { status, body } = await api.post(alert);
        expect(status).to.equal(202);
        const { session_id: id } = parseAccepted(body);
        const text = randomBytes(20_000).toString("hex");
        await events.commit(id, [statusEvent(id), ...times(10, (index) => textEvent(id, `${index}${text}`))]);
        await query(INSERT_ROWS, [id, 20]);
        await events.complete(id);
        expect(await api.raw("DELETE", `/api/v1/sessions/${id}`)).to.include({ status: 204 });
      }
      await eraseRequested(api.deps.db, signal);
      // What autovacuum does on its own, at a time of its own. Rows that an older transaction may see stay (an ANALYZE of its own, say), and
      // the room at the end of a file goes back to the disk only while the table is not in use: that is not what is asked here.
      await until("no transaction is older than the deletions", async () => {
        const [others] = await query(OTHER_SNAPSHOTS, []);
        return parseCount(others).n === 0;
      });
      await query("VACUUM (TRUNCATE false)", []);
      const [row] = await query(SIZE, []);
      sizes.push(parseCount(row).n);
    }
    const [, second = 0, ...later] = sizes;
    // A round has more than 10 MB: without room to use again each one would add as much.
    expect(Math.max(...later), sizes.join(", ")).to.be.below(second + 2_000_000);
  });

  it("shares the work between replicas, and runs by itself", async () => {
    // The events of those that ended long ago have the lower numbers.
    await query("DELETE FROM alert_sessions", []);
    const ids = await Promise.all(times(5, async () => ended(120)));
    for (const id of ids) await retire(id, 40);
    await using second = await ApiFixture.start({ servers: api.servers });
    await Promise.all([api, second].map(async ({ db }) => purgeEnded(db, 7, signal)));
    for (const id of ids) expect(await count("events", id)).to.equal(0);
    api.cleanUp();
    second.cleanUp();
    await until("all are deleted", async () => {
      const left = await Promise.all(ids.map(async (id) => count("alert_sessions", id)));
      return left.every((n) => n === 0);
    });
  });
});
