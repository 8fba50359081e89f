import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { Type } from "typebox";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { Database } from "#shared/database/database.ts";
import { chooseSessions } from "../choose-sessions.ts";
import { claimAlone } from "../claim-free-session.ts";
import { readOldest, readRecentStarts } from "../read-waiting.ts";
import { unqueuedFollowUps, unqueuedSessions } from "../unqueued-sessions.ts";
import { runSession } from "../run-session.ts";
import { ExecutorFixture } from "./executor-fixture.ts";
import { ask } from "./follow-up-fixture.ts";
import { RunFixture } from "./run-fixture.ts";
import { ToolRunnerFixture } from "./tool-runner-fixture.ts";

/** Tables of which a row is no session's: they stay small. */
const SMALL = new Set(["executors", "provider_circuits", "budgets", "schema_support"]);
const CONNECTIONS = 8;

/** Indexes of what is at work at the same time: with many sessions that wait or have ended they stay small. */
const AT_WORK = new Set(["session_runtime_out_of_place", "follow_ups_open"]);
/** Columns that few rows have in common. */
const KEY = /(?:_id|_hash|^hash|^key|^scope)$/u;
/** Of the indexes by status: a lane of one, or all that run, or, which has no condition, all that have not ended. */
const UNFINISHED =
  /^alert_sessions_unfinished (?:$|.*lane = )|^alert_sessions_(?:unfinished|status_created) .*'\{(?:pending,)?in_progress,cancelling\}'/u;

const Row = Type.Object({ statement: Type.String() });
const parseStatement = compileParser("prepared statement", Row);
const PlanNode = Type.Cyclic(
  {
    Node: Type.Object({
      "Node Type": Type.String(),
      "Relation Name": Type.Optional(Type.String()),
      "Index Name": Type.Optional(Type.String()),
      "Index Cond": Type.Optional(Type.String()),
      Plans: Type.Optional(Type.Array(Type.Ref("Node"))),
    }),
  },
  "Node",
);
const parsePlan = compileParser(
  "plan",
  Type.Object({ "QUERY PLAN": Type.Array(Type.Object({ Plan: PlanNode })) }),
);

interface Node {
  readonly "Node Type": string;
  readonly "Relation Name"?: string;
  readonly "Index Name"?: string;
  readonly "Index Cond"?: string;
  readonly Plans?: readonly Node[];
}

const parseIndex = compileParser("index", Type.Object({ name: Type.String(), first: Type.String() }));

/** Statistics of a table appear with its rows. */
const GROWN =
  "alert_sessions, session_runtime, stages, agent_executions, timeline_events, messages, tool_calls, events";
/** Sessions as they are after their end, with a stage, an agent, and some rows of its work each. */
const GROW = `
WITH added AS (
  INSERT INTO alert_sessions (session_id, alert_data, agent_type, alert_type, chain_id, config_hash, status, started_at, completed_at)
  SELECT gen_random_uuid(), 'disk full', 'test', 'test', 'test-chain', 'hash', 'completed', now(), now() FROM generate_series(1, $1::int)
  RETURNING session_id
), runtime AS (
  INSERT INTO session_runtime (session_id, total_stages, completed_stages, has_summary_stage) SELECT session_id, 1, 1, true FROM added
), stage AS (
  INSERT INTO stages (stage_id, session_id, stage_name, stage_index, expected_agent_count, status)
  SELECT session_id, session_id, 'stage', 1, 1, 'completed' FROM added
), agent AS (
  INSERT INTO agent_executions (execution_id, stage_id, session_id, agent_name, agent_index, iteration_strategy, iteration_state, llm_provider, status)
  SELECT session_id, session_id, session_id, 'agent', 1, 'react', '{}', 'scripted', 'completed' FROM added
), entries AS (
  INSERT INTO timeline_events (event_id, session_id, stage_id, execution_id, sequence_number, event_type, status, content)
  SELECT gen_random_uuid(), session_id, session_id, session_id, n, 'llm_response', 'completed', 'x' FROM added, generate_series(1, 2) AS n
), texts AS (
  INSERT INTO messages (message_id, session_id, stage_id, execution_id, sequence_number, role, content)
  SELECT gen_random_uuid(), session_id, session_id, session_id, n, 'user', 'x' FROM added, generate_series(1, 2) AS n
), calls AS (
  INSERT INTO tool_calls (call_id, session_id, execution_id, epoch, name, read_only, state)
  SELECT session_id, session_id, session_id, 1, 'k8s.pods', true, 'completed' FROM added
)
INSERT INTO events (session_id, seq, payload) SELECT session_id, n, '{}' FROM added, generate_series(1, 2) AS n`;

/** Sessions that wait, without statistics: the indexes of the few that have begun, or run nowhere, have fewer pages than the others. */
const WAIT = `
WITH added AS (
  INSERT INTO alert_sessions (session_id, alert_data, agent_type, alert_type, chain_id, config_hash)
  SELECT gen_random_uuid(), repeat('disk full ', 100), 'test', 'test', 'test-chain', 'hash' FROM generate_series(1, $1::int)
  RETURNING session_id
)
INSERT INTO session_runtime (session_id, total_stages, completed_stages, has_summary_stage) SELECT session_id, 1, 0, true FROM added`;
/** Every second one runs in its own place; the others have lost their owner, or were put off. */
const BEGIN = `
WITH begun AS (
  UPDATE alert_sessions SET status = 'in_progress', started_at = now()
  WHERE session_id IN (SELECT session_id FROM alert_sessions WHERE status = 'pending' LIMIT $1) RETURNING session_id
)
UPDATE session_runtime r SET place_id = r.session_id, lease_expires_at = CASE WHEN random() < 0.5 THEN now() + interval '1 h' END
FROM begun WHERE r.session_id = begun.session_id`;

const OUT_OF_PLACE = "SELECT session_id FROM session_runtime WHERE is_out_of_place";

describe("the plans of an executor's statements", () => {
  const resources = new AsyncDisposableStack();
  const { signal } = new AbortController();
  const statements = new Set<string>();
  let db: Database;
  let query: (sql: string, parameters: unknown[]) => Promise<unknown[]>;
  /** The sessions of that index, read after each end of a session and of a question. */
  const outOfPlace: unknown[] = [];
  /** Without a session, as a new installation begins. */
  let empty: ExecutorFixture;

  before(async () => {
    const fixture = resources.use(await RunFixture.start());
    const { executor } = fixture;
    resources.use(await ToolRunnerFixture.start(executor.servers));
    await fixture.play(
      {
        when: { contains: "with tools", call: 1 },
        steps: [{ thinking: "Why?" }, { tool_call: { name: "k8s.pods", arguments: {} } }],
      },
      { steps: [{ text: "it was the memory" }] },
    );
    ({ db } = executor);
    const { gateway } = fixture;
    empty = resources.use(await ExecutorFixture.start({ gateway: gateway.address }));
    query = async (sql, parameters) => executor.query(sql, parameters);
    const run = async (id: string) =>
      runSession(executor.deps, await executor.claim(id), { stop: signal, abort: signal });
    for (const strategy of ["native-thinking", "react", "single-call"] as const) {
      const tools =
        strategy === "single-call" ? { alert: "alone" } : { alert: "with tools", servers: ["k8s"] };
      const id = await executor.insert({ strategy, ...tools });
      await chooseSessions(executor.deps, id, signal);
      expect(await run(id)).to.equal("completed");
      outOfPlace.push(...(await query(OUT_OF_PLACE, [])));
      await ask(executor, id);
      expect(await run(id)).to.equal("followed-up");
      outOfPlace.push(...(await query(OUT_OF_PLACE, [])));
    }
    await claimAlone(db, randomUUID(), executor.deps.config.podId);
    await readOldest(db, "normal");
    await readRecentStarts(db);
    for (const unqueued of [unqueuedSessions(db, 1), unqueuedFollowUps(db, 1)]) {
      await unqueued.find(1, []);
      await unqueued.hasPlace();
    }
    const connections = Array.from({ length: CONNECTIONS }, () =>
      db.transaction(async (connection) => connection.query("SELECT statement FROM pg_prepared_statements")),
    );
    for (const row of (await Promise.all(connections)).flat()) statements.add(parseStatement(row).statement);
  });
  after(() => resources.disposeAsync());

  /** Reads of a table that do not begin at given keys. */
  const scans = (node: Node, firstColumns: ReadonlyMap<string, string>): string[] => {
    const table = node["Relation Name"];
    const index = node["Index Name"] ?? "";
    const first = firstColumns.get(index) ?? "";
    const condition = node["Index Cond"] ?? "";
    const isByKey = KEY.test(first) && condition.includes(first);
    const isQueue = UNFINISHED.test(`${index} ${condition}`);
    const isLookUp = isByKey || isQueue || AT_WORK.has(index);
    const isWhole = node["Node Type"] === "Seq Scan" || (index !== "" && !isLookUp);
    const own = isWhole && !SMALL.has(table ?? "") ? [`${node["Node Type"]} of ${table ?? ""} ${index}`] : [];
    return [...own, ...(node.Plans ?? []).flatMap((child) => scans(child, firstColumns))];
  };

  const scanned = async (of = db) => {
    const indexes = await query(
      "SELECT indexrelid::regclass::text AS name, pg_get_indexdef(indexrelid, 1, true) AS first FROM pg_index",
      [],
    );
    const firstColumns = new Map(indexes.map(parseIndex).map(({ name, first }) => [name, first]));
    const found: Record<string, string[]> = {};
    for (const sql of statements) {
      const [row] = await of.query(`EXPLAIN (GENERIC_PLAN, FORMAT JSON) ${sql}`);
      const [plan] = parsePlan(row)["QUERY PLAN"];
      const whole = plan === undefined ? ["no plan"] : scans(plan.Plan, firstColumns);
      if (whole.length > 0) found[sql] = whole;
    }
    return found;
  };

  it("find no ended session in the index of those that run in the place of another, or in none", () => {
    expect(outOfPlace).to.deep.equal([]);
  });

  it("read no whole table while the database is new, young and large, whatever the statistics say", async () => {
    expect(statements.size).to.be.greaterThan(15);
    expect(await scanned(empty.db), "empty").to.deep.equal({});
    // With none that have ended, a statement for all others may read the whole table.
    await empty.query(GROW, [50]);
    for (let waiting = 10; waiting <= 400; waiting += 10) {
      await empty.query(WAIT, [10]);
      await empty.query(BEGIN, [1]);
      expect(await scanned(empty.db), `the first ${waiting} sessions`).to.deep.equal({});
    }
    for (const [waiting, running] of [
      [1_000, 10],
      [1_000, 1_000],
      [0, 1_000],
    ]) {
      await empty.query(WAIT, [waiting]);
      await empty.query(BEGIN, [running]);
      await empty.query(`ANALYZE ${GROWN}`, []);
      expect(await scanned(empty.db), `${waiting} more wait, ${running} begin`).to.deep.equal({});
    }
    expect(await scanned(), "new").to.deep.equal({});
    for (const sessions of [60, 1_000, 3_000]) {
      await query(GROW, [sessions]);
      expect(await scanned(), `${sessions} sessions, old statistics`).to.deep.equal({});
      await query(`ANALYZE ${GROWN}`, []);
      expect(await scanned(), `${sessions} sessions`).to.deep.equal({});
    }
  });
});
