import { expect } from "chai";
import { appendEvents } from "#shared/database/append-events.ts";
import type { Database } from "#shared/database/database.ts";
import { enterPast, pastAt } from "#shared/database/past/enter-past.ts";
import { PAST_TABLES } from "#shared/database/past/past-tables.ts";
import { PAST_TRIGGERS } from "#shared/database/past/past-triggers.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { DatabaseFixture } from "./database-fixture.ts";

/** Steps of the session that shows what a long past costs. */
const STEPS = 2_000;
const PAGE = 250;

/** What a session's steps write, each in a transaction of its own. */
const steps = (id: string, from: number, to: number): string => `
DO $steps$
DECLARE
  n integer;
BEGIN
  FOR n IN ${from}..${to} LOOP
    UPDATE session_runtime SET last_seq = n, llm_interaction_count = n, total_tokens = 100 * n WHERE session_id = '${id}';
    INSERT INTO events (session_id, seq, payload) VALUES ('${id}', n, '{}');
    INSERT INTO llm_interactions (interaction_id, session_id, stage_id, execution_id, interaction_type, model_name, llm_request, llm_response,
      total_tokens, seq) VALUES (gen_random_uuid(), '${id}', '${id}', '${id}', 'iteration', 'm', '{}', '{}', 100, n);
    UPDATE agent_executions SET iteration_state = jsonb_build_object('iteration', n), total_tokens = 100 * n WHERE execution_id = '${id}';
    UPDATE timeline_events SET status = 'completed', content = repeat('x', 500), seq = n
    WHERE session_id = '${id}' AND sequence_number = n - 1;
    INSERT INTO timeline_events (event_id, session_id, stage_id, execution_id, sequence_number, event_type, content, first_seq, seq)
    VALUES (gen_random_uuid(), '${id}', '${id}', '${id}', n, 'llm_response', '', n, n);
    COMMIT;
  END LOOP;
END
$steps$`;

describe("the past of a session's rows", () => {
  let fixture: DatabaseFixture;
  let db: Database;

  before(async () => {
    fixture = await DatabaseFixture.start();
    db = await fixture.migrated();
  });
  after(() => fixture[Symbol.asyncDispose]());

  const changed = async (tx: Queryable, session_id: string, status: "in_progress" | "cancelling") => {
    await tx.query("UPDATE alert_sessions SET status = $2 WHERE session_id = $1", [session_id, status]);
    await appendEvents(tx, session_id, [{ type: "session.status", session_id, status }]);
  };
  const at = async (id: string, seq: number, columns = "status::text AS status"): Promise<unknown> =>
    db.transaction(async (tx) => {
      await enterPast(tx, seq);
      return tx.query(
        `SELECT ${columns} FROM alert_sessions JOIN session_runtime USING (session_id) WHERE session_id = $1`,
        [id],
      );
    });

  it("has what a transaction overwrites before it numbers its events under the number that they get", async () => {
    const id = await fixture.insertSession(db);
    await db.transaction(async (tx) => changed(tx, id, "in_progress"));
    await db.transaction(async (tx) => changed(tx, id, "cancelling"));
    expect(await at(id, 0)).to.deep.equal([{ status: "pending" }]);
    expect(await at(id, 1)).to.deep.equal([{ status: "in_progress" }]);
    expect(await at(id, 2)).to.deep.equal([{ status: "cancelling" }]);
    expect(await at(id, 1, "last_seq")).to.deep.equal([{ last_seq: 1 }]);
  });

  it("has numbers within a commit show what was before it", async () => {
    const session_id = await fixture.insertSession(db);
    const payload = { type: "session.status", session_id, status: "in_progress" } as const;
    await db.transaction(async (tx) => {
      await tx.query("UPDATE alert_sessions SET status = 'in_progress' WHERE session_id = $1", [session_id]);
      await appendEvents(tx, session_id, [payload, payload, payload]);
    });
    expect(await at(session_id, 2)).to.deep.equal([{ status: "pending" }]);
    expect(await at(session_id, 2, "last_seq")).to.deep.equal([{ last_seq: 0 }]);
    expect(await at(session_id, 3)).to.deep.equal([{ status: "in_progress" }]);
  });

  it("gives the number of another writer's commit in between to neither", async () => {
    const id = await fixture.insertSession(db);
    await db.transaction(async (tx) => {
      await tx.query("UPDATE alert_sessions SET author = 'a', assignee = 'jane' WHERE session_id = $1", [id]);
      await appendEvents(db, id, [{ type: "session.status", session_id: id, status: "in_progress" }]);
      await appendEvents(tx, id, [{ type: "session.status", session_id: id, status: "in_progress" }]);
    });
    expect(await at(id, 1, "assignee")).to.deep.equal([{ assignee: null }]);
    expect(await at(id, 2, "assignee")).to.deep.equal([{ assignee: "jane" }]);
  });

  it("belongs, without an event, to the number that the session has", async () => {
    const id = await fixture.insertSession(db);
    await db.transaction(async (tx) => changed(tx, id, "in_progress"));
    const wait = JSON.stringify({ kind: "approval" });
    await db.query(
      "UPDATE session_runtime SET waiting_for = $2, waiting_since = now() WHERE session_id = $1",
      [id, wait],
    );
    expect(await at(id, 0, "waiting_for")).to.deep.equal([{ waiting_for: null }]);
    expect(await at(id, 1, "waiting_for")).to.deep.equal([{ waiting_for: { kind: "approval" } }]);
  });

  it("has what agents have read, and messages with the text that the model was sent", async () => {
    const id = await fixture.insertSession(db);
    await db.query(
      "INSERT INTO stages (stage_id, session_id, stage_name, stage_index, expected_agent_count) VALUES ($1, $1, 's', 1, 1)",
      [id],
    );
    await db.query(
      `INSERT INTO agent_executions (execution_id, stage_id, session_id, agent_name, agent_index, iteration_strategy, iteration_state, llm_provider)
       VALUES ($1, $1, $1, 'a', 1, 'react', '{}', 'p')`,
      [id],
    );
    const statements = [
      `INSERT INTO messages (message_id, session_id, stage_id, execution_id, sequence_number, role, content, seq)
       VALUES ($1, $1, $1, $1, 1, 'user', 'a large result', 1)`,
      "UPDATE messages SET content = 'its summary', seq = 2 WHERE message_id = $1",
      "INSERT INTO evidence_deliveries (execution_id, through, session_id, alerts, characters, sequence_number) VALUES ($1, 1, $1, 1, 1, 1)",
      "INSERT INTO steering_deliveries (message_id, execution_id, session_id) VALUES ($1, $1, $1)",
      "INSERT INTO session_memories (memory_id, execution_id, session_id, position) VALUES ($1, $1, $1, 1)",
      `INSERT INTO group_alerts (alert_id, session_id, ordinal, group_key, outcome, is_resolved, author, bytes)
       VALUES ($1, $1, 1, 'g', 'opened', false, 'jane', 0)`,
    ];
    for (const statement of statements) {
      await db.transaction(async (tx) => {
        await tx.query(statement, [id]);
        await appendEvents(tx, id, [{ type: "session.status", session_id: id, status: "in_progress" }]);
      });
    }
    const tables = ["evidence_deliveries", "steering_deliveries", "session_memories", "group_alerts"];
    const counts = tables
      .map((table) => `(SELECT count(*)::int FROM ${table} WHERE session_id = $1)`)
      .join(", ");
    const rowsAt = async (seq: number) =>
      db.transaction(async (tx) => {
        await enterPast(tx, seq);
        return tx.query(
          `SELECT (SELECT content FROM messages WHERE execution_id = $1) AS content, ARRAY[${counts}] AS counts`,
          [id],
        );
      });
    const found = await Promise.all([0, 1, 2, 3, 4, 5, 6].map(rowsAt));
    const content = [null, "a large result", ...Array.from({ length: 5 }, () => "its summary")];
    const expected = content.map((text, seq) => [
      { content: text, counts: tables.map((_, index) => (seq >= index + 3 ? 1 : 0)) },
    ]);
    expect(found).to.deep.equal(expected);
  });

  it("costs a heartbeat nothing", async () => {
    const id = await fixture.insertSession(db);
    await db.query(
      "UPDATE session_runtime SET lease_expires_at = now(), last_interaction_at = now() WHERE session_id = $1",
      [id],
    );
    expect(await db.query("SELECT 1 FROM row_history WHERE session_id = $1", [id])).to.deep.equal([]);
  });

  it("shows the group of a session also after it has gone on with another one", async () => {
    const [first, second] = [await fixture.insertSession(db), await fixture.insertSession(db)];
    await db.query("INSERT INTO alert_groups (group_key, chain_id, window_ms) VALUES ($1, 'c', 1)", [first]);
    const move = async (id: string) =>
      db.transaction(async (tx) => {
        await tx.query("UPDATE alert_groups SET session_id = $2, count = count + 1 WHERE group_key = $1", [
          first,
          id,
        ]);
        await changed(tx, id, "in_progress");
      });
    await move(first);
    await move(first);
    await move(second);
    await db.transaction(async (tx) => changed(tx, first, "cancelling"));
    const groupAt = async (id: string, seq: number) =>
      db.transaction(async (tx) => {
        const past = await pastAt(tx, seq);
        return tx.query(`SELECT count FROM ${past}.alert_groups WHERE session_id = $1`, [id]);
      });
    expect(await groupAt(first, 0)).to.deep.equal([]);
    expect(await groupAt(first, 1)).to.deep.equal([{ count: 1 }]);
    // That it went on is no event of the first session: it belongs to the last number.
    expect(await groupAt(first, 2)).to.deep.equal([]);
    expect(await groupAt(second, 0)).to.deep.equal([]);
    expect(await groupAt(second, 1)).to.deep.equal([{ count: 3 }]);
  });

  for (const how of [
    "DELETE FROM alert_sessions WHERE session_id = $1",
    "SELECT tarsy_remove_session($1, 500)",
  ]) {
    it(`goes with its session: ${how}`, async () => {
      const id = await fixture.insertSession(db);
      await db.transaction(async (tx) => changed(tx, id, "in_progress"));
      await appendEvents(db, id, [{ type: "session.status", session_id: id, status: "in_progress" }]);
      await insertConversation(id);
      await db.query("UPDATE alert_sessions SET deleted_at = now() WHERE session_id = $1", [id]);
      await db.query(how, [id]);
      for (const table of ["row_history", "events", "agent_executions", "tool_calls", "messages"]) {
        expect(await db.query(`SELECT 1 FROM ${table} WHERE session_id = $1`, [id]), table).to.deep.equal([]);
      }
    });
  }

  const insertConversation = async (id: string) =>
    db.query(
      `WITH stage AS (
         INSERT INTO stages (stage_id, session_id, stage_name, stage_index, expected_agent_count)
         VALUES (gen_random_uuid(), $1, 'analysis', 1, 1) RETURNING stage_id, session_id
       ), execution AS (
         INSERT INTO agent_executions (execution_id, stage_id, session_id, agent_name, agent_index, iteration_strategy, iteration_state, llm_provider)
         SELECT gen_random_uuid(), stage_id, session_id, 'agent', 1, 'react', '{"iteration":1}', 'scripted' FROM stage
         RETURNING execution_id, stage_id, session_id
       ), message AS (
         INSERT INTO messages (message_id, session_id, stage_id, execution_id, sequence_number, role, content)
         SELECT gen_random_uuid(), session_id, stage_id, execution_id, 1, 'user', 'Why?' FROM execution
       )
       INSERT INTO tool_calls (call_id, session_id, execution_id, epoch, name, read_only, state, completed_at)
       SELECT gen_random_uuid()::text, session_id, execution_id, 1, 'lab.look', true, 'abandoned', now() FROM execution`,
      [id],
    );

  it("is read by the api and by no other service", async () => {
    for (const service of ["api", "executor", "tool-runner", "notifier"] as const) {
      const role = await fixture.connect(fixture.servers.postgres.serviceUrls[service]);
      const read = async (tx: Queryable) =>
        tx.query(`SELECT 1 FROM ${await pastAt(tx, 0)}.group_alerts`).then(
          () => "read",
          () => "denied",
        );
      expect(await role.transaction(read), service).to.equal(service === "api" ? "read" : "denied");
    }
  });

  it("is kept by a trigger for each table, which a migration creates", async () => {
    const triggers = await db.query(
      "SELECT tgname AS name, tgrelid::regclass::text AS table FROM pg_trigger WHERE tgname ~ '_(keep_change|keep_insert|number_past|forget)$' ORDER BY 1",
    );
    const declared = PAST_TRIGGERS.map(({ name, table }) => ({ name, table }));
    expect(triggers).to.have.deep.members(declared);
  });

  it("is kept by triggers that fire for each column that is compared", () => {
    for (const [table, { changing }] of Object.entries(PAST_TABLES)) {
      for (const { columns, by } of changing) {
        const compared = by.map((value) => value.split(" ", 1)[0]);
        expect(columns, table).to.include.members(compared);
      }
    }
  });

  it(`reads each row a few times only, also of a session with ${STEPS} steps`, async () => {
    const id = await fixture.insertSession(db);
    await db.query(
      `INSERT INTO stages (stage_id, session_id, stage_name, stage_index, expected_agent_count) VALUES ($1, $1, 's', 1, 1)`,
      [id],
    );
    await db.query(
      `INSERT INTO agent_executions (execution_id, stage_id, session_id, agent_name, agent_index, iteration_strategy, iteration_state, llm_provider, seq)
       VALUES ($1, $1, $1, 'a', 1, 'react', '{"iteration": 0}', 'p', 0)`,
      [id],
    );
    for (let done = 0; done < STEPS; done += PAGE) await db.query(steps(id, done + 1, done + PAGE));
    await db.query("ANALYZE");
    const views = ["timeline_events", "agent_executions", "session_runtime", "alert_sessions", "messages"];
    for (const view of views) {
      const analysed = await db.transaction(async (tx) => {
        await enterPast(tx, STEPS / 2);
        return tx.query(`EXPLAIN (ANALYZE, FORMAT JSON) SELECT * FROM ${view} WHERE session_id = $1`, [id]);
      });
      const read = [
        ...JSON.stringify(analysed).matchAll(/"Actual Rows":(\d+)[.\d]*,"Actual Loops":(\d+)/gu),
      ].map(([, rows, loops]) => Number(rows) * Number(loops));
      expect(read, view).not.to.be.empty;
      expect(Math.max(...read), view).to.be.lessThan(2 * STEPS);
    }
    const rows = await db.transaction(async (tx) => {
      await enterPast(tx, STEPS / 2);
      return tx.query(
        `SELECT (SELECT count(*)::int FROM timeline_events WHERE session_id = $1) AS entries,
           (SELECT count(*)::int FROM timeline_events WHERE session_id = $1 AND status = 'streaming') AS open,
           (SELECT llm_interaction_count FROM session_runtime WHERE session_id = $1) AS calls,
           (SELECT total_tokens::int FROM session_runtime WHERE session_id = $1) AS tokens,
           (SELECT iteration_state ->> 'iteration' FROM agent_executions WHERE session_id = $1) AS iteration`,
        [id],
      );
    });
    const half = STEPS / 2;
    expect(rows).to.deep.equal([
      { entries: half, open: 1, calls: half, tokens: 100 * half, iteration: String(half) },
    ]);
  });
});
