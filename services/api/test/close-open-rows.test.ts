import { expect } from "chai";
import { Type } from "typebox";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { NEVER_LEFT_OPEN, OPEN_ROWS } from "#shared/database/open-rows.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { closeOpenRows } from "../sweeper/close-open-rows.ts";
import { ApiFixture } from "./api-fixture.ts";

const parseState = compileParser("state", Type.Object({ state: Type.String() }));
const parseColumn = compileParser("column", Type.Object({ name: Type.String() }));
const COLUMNS = `
SELECT c.table_name || '.' || c.column_name AS name FROM information_schema.columns c
JOIN information_schema.tables t USING (table_schema, table_name)
WHERE c.table_schema = 'public' AND t.table_type = 'BASE TABLE' AND c.column_name ~ '(^|_)(status|state)$'
  AND EXISTS (SELECT FROM information_schema.columns o WHERE o.table_schema = 'public' AND o.table_name = c.table_name
              AND o.column_name = 'session_id')`;

/** One open row in each table. */
const OPEN = `
WITH ended AS (
  UPDATE alert_sessions SET status = 'completed', completed_at = now() - make_interval(secs => $2) WHERE session_id = $1
), stage AS (
  INSERT INTO stages (stage_id, session_id, stage_name, stage_index, expected_agent_count, status)
  VALUES (gen_random_uuid(), $1, 'analysis', 1, 1, 'active') RETURNING stage_id
), execution AS (
  INSERT INTO agent_executions (execution_id, stage_id, session_id, agent_name, agent_index, iteration_strategy, iteration_state, llm_provider, status)
  SELECT gen_random_uuid(), stage_id, $1, 'agent', 1, 'react', '{"iteration":1}', 'scripted', 'active' FROM stage RETURNING stage_id, execution_id
), timeline AS (
  INSERT INTO timeline_events (event_id, session_id, stage_id, execution_id, sequence_number, event_type, content)
  SELECT gen_random_uuid(), $1, stage_id, execution_id, 1, 'llm_response', 'half' FROM execution
), calls AS (
  INSERT INTO tool_calls (call_id, session_id, execution_id, epoch, name, read_only, state, phase, alive_until)
  SELECT gen_random_uuid()::text, $1, execution_id, 1, 's.t', is_read, 'running', 'sending', now() - interval '1 minute'
  FROM execution, unnest(ARRAY[true, false]) AS is_read
), asked AS (
  INSERT INTO approvals (approval_id, session_id, execution_id, call_id, tool, arguments, arguments_hash, state, expires_at)
  SELECT gen_random_uuid(), $1, execution_id, gen_random_uuid()::text, 's.t', '{}', 'h', 'awaiting_approval', now() + interval '1 day' FROM execution
), follow AS (
  INSERT INTO follow_ups (follow_up_id, session_id, stage_id, kind, status, config_hash, asked_by, completed_at)
  SELECT gen_random_uuid(), $1, stage_id, 'score', 'completed', 'h', 'x', now() - make_interval(secs => $2) FROM stage RETURNING stage_id, follow_up_id
)
INSERT INTO session_scores (score_id, session_id, stage_id, follow_up_id, score_triggered_by)
SELECT gen_random_uuid(), $1, stage_id, follow_up_id, 'x' FROM follow`;

describe("rows left open behind the end of their session", () => {
  let api: ApiFixture;
  before(async () => (api = await ApiFixture.start()));
  after(() => api[Symbol.asyncDispose]());

  const statesOf = async (id: string, table: string) => {
    const column = OPEN_ROWS[table]?.column ?? "status";
    const sql = `SELECT ${column}::text AS state FROM ${table} WHERE session_id = $1`;
    return (await selectRows(api.db, parseState, sql, [id])).map(({ state }) => state);
  };

  it("are those of every table with a state, or it is said why not", async () => {
    const columns = (await selectRows(api.db, parseColumn, COLUMNS, [])).map(({ name }) => name);
    const known = [
      ...Object.entries(OPEN_ROWS).map(([table, { column }]) => `${table}.${column}`),
      ...Object.keys(NEVER_LEFT_OPEN),
    ];
    expect(columns.toSorted()).to.deep.equal(known.toSorted());
  });

  for (const [table, { open }] of Object.entries(OPEN_ROWS)) {
    it(`are closed in ${table}, and counted`, async () => {
      const id = await api.client.submit("x");
      await api.db.query(OPEN, [id, 120]);
      expect(open).to.include.members(await statesOf(id, table));
      const count = async () =>
        (await api.deps.metrics.openRowsClosed.get()).values.find(({ labels }) => labels.table === table)
          ?.value ?? 0;
      const before = await count();
      await closeOpenRows(api.deps, 1);
      const states = await statesOf(id, table);
      expect(states).to.have.length.above(0);
      for (const state of states) expect(open).not.to.include(state);
      expect(await count()).to.equal(before + states.length);
    });
  }

  it("say what is not known of a call that may have changed something", async () => {
    const id = await api.client.submit("x");
    await api.db.query(OPEN, [id, 120]);
    await closeOpenRows(api.deps, 1);
    const sql = "SELECT failure AS state FROM tool_calls WHERE session_id = $1 ORDER BY read_only";
    const failures = await selectRows(api.db, parseState, sql, [id]);
    expect(failures.map(({ state }) => state)).to.deep.equal(["outcome_unknown", "interrupted"]);
  });

  it("are left alone while the session has just ended, and while it has an owner", async () => {
    const [recent, owned] = [await api.client.submit("x"), await api.client.submit("x")];
    await api.db.query(OPEN, [recent, 5]);
    await api.db.query(OPEN, [owned, 120]);
    await api.db.query(
      "UPDATE session_runtime SET lease_expires_at = now() + interval '1 minute' WHERE session_id = $1",
      [owned],
    );
    await closeOpenRows(api.deps, 1);
    for (const id of [recent, owned]) expect(await statesOf(id, "stages")).to.deep.equal(["active"]);
  });
});
