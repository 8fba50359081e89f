import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { Type } from "typebox";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { Database } from "#shared/database/database.ts";
import { rejectionOf } from "../../../launcher/test/rejection-of.ts";
import { until } from "../../../test/support/until.ts";
import { DatabaseFixture } from "./database-fixture.ts";

const parseCount = compileParser("count", Type.Object({ n: Type.Integer() }));

describe("the schema's constraints and indexes", () => {
  let fixture: DatabaseFixture;
  let db: Database;

  before(async () => {
    fixture = await DatabaseFixture.start();
    db = await fixture.migrated();
  });
  after(() => fixture[Symbol.asyncDispose]());

  const insert = async (columns: Record<string, unknown> = {}): Promise<string> => {
    const session_id = randomUUID();
    const row = {
      session_id,
      alert_data: "x",
      agent_type: "a",
      chain_id: "c",
      config_hash: "h",
      ...columns,
    };
    const names = Object.keys(row);
    const placeholders = names.map((_name, index) => `$${index + 1}`);
    await db.query(
      `INSERT INTO alert_sessions (${names.join(", ")}) VALUES (${placeholders.join(", ")})`,
      Object.values(row),
    );
    return session_id;
  };

  it("refuses a status it does not know, and an end that does not fit the status", async () => {
    expect(await rejectionOf(insert({ status: "done" }))).to.include(
      "invalid input value for enum session_status",
    );
    expect(await rejectionOf(insert({ status: "completed" }))).to.include("ended_means_terminal");
    expect(await rejectionOf(insert({ completed_at: new Date() }))).to.include("ended_means_terminal");
    await insert({ status: "completed", completed_at: new Date() });
  });

  it("indexes a mebibyte of different words", async () => {
    const words = Array.from({ length: 200_000 }, (_word, n) => `w${n.toString(36)}`).join(" ");
    const ended = { status: "completed", completed_at: new Date() };
    const text = words.slice(0, 1_048_576);
    await insert({ ...ended, alert_data: text, final_analysis: text });
    await insert({ ...ended, alert_data: "💾".repeat(262_144) });
    await insert({ ...ended, alert_data: "x".repeat(1_048_576) });
  });

  it("finds ended sessions by their time with indexes that have no unfinished ones", async () => {
    const names = ["completed", "deleted"].map((name) => ({
      indexname: `alert_sessions_${name}`,
    }));
    const indexes = await db.query(
      `SELECT indexname FROM pg_indexes WHERE indexdef ~ 'IS NOT NULL\\)' AND indexname = ANY($1) ORDER BY 1`,
      [names.map(({ indexname }) => indexname)],
    );
    expect(indexes).to.deep.equal(names);
    const plan = async (condition: string) =>
      db.transaction(async (transaction) => {
        await transaction.query("SET LOCAL enable_seqscan = off");
        return transaction.query(`EXPLAIN SELECT session_id FROM alert_sessions WHERE ${condition}`);
      });
    for (const [index, condition] of [
      [
        "completed",
        "deleted_at IS NULL AND completed_at < now() - interval '90 days' ORDER BY completed_at LIMIT 10",
      ],
    ] as const) {
      expect(JSON.stringify(await plan(condition))).to.include(`alert_sessions_${index}`);
    }
  });

  it("enforces which columns a message of each role has", async () => {
    const id = await insert();
    await db.query(
      "INSERT INTO stages (stage_id, session_id, stage_name, stage_index, expected_agent_count) VALUES ($1, $1, 's', 1, 1)",
      [id],
    );
    await db.query(
      `INSERT INTO agent_executions (execution_id, stage_id, session_id, agent_name, agent_index, iteration_strategy,
         iteration_state, llm_provider) VALUES ($1, $1, $1, 'a', 1, 'single-call', '{}', 'p')`,
      [id],
    );
    let number = 0;
    const message = async (
      role: string,
      content: string,
      rest: Record<string, string | null> = {},
    ): Promise<unknown> =>
      db.query(
        `INSERT INTO messages (message_id, session_id, stage_id, execution_id, sequence_number, role, content,
           tool_calls, tool_call_id, tool_name) VALUES ($1, $2, $2, $2, $3, $4, $5, $6, $7, $8)`,
        [
          randomUUID(),
          id,
          ++number,
          role,
          content,
          rest["calls"] ?? null,
          rest["callId"] ?? null,
          rest["tool"] ?? null,
        ],
      );
    expect(await rejectionOf(message("assistant", ""))).to.include("content_or_calls");
    expect(await rejectionOf(message("user", "x", { calls: "[]" }))).to.include("calls_on_assistant");
    expect(await rejectionOf(message("tool", "x"))).to.include("result_on_tool");
    expect(await rejectionOf(message("tool", "x", { callId: "c" }))).to.include("result_on_tool");
    expect(await rejectionOf(message("user", "x", { callId: "c", tool: "t" }))).to.include("result_on_tool");
    expect(await rejectionOf(message("wizard", "x"))).to.include("message_role");
    await message("assistant", "", { calls: "[]" });
    await message("tool", "", { callId: "c", tool: "t" });
  });

  it("deletes the events of a writer that was there first with the session", async () => {
    const id = await insert();
    await db.query("INSERT INTO session_runtime (session_id) VALUES ($1)", [id]);
    let deleting: Promise<unknown> | undefined;
    await db.transaction(async (writer) => {
      await writer.query("UPDATE session_runtime SET last_seq = 1 WHERE session_id = $1", [id]);
      deleting = db.query("DELETE FROM alert_sessions WHERE session_id = $1", [id]);
      await until("the deletion waits for the writer", async () => {
        const waiting = await db.query(
          "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE 'DELETE FROM alert_sessions%' AND datname = current_database()",
        );
        return waiting.length > 0;
      });
      await writer.query("INSERT INTO events (session_id, seq, payload) VALUES ($1, 1, '{}')", [id]);
    });
    await deleting;
    expect(await db.query("SELECT 1 FROM events WHERE session_id = $1", [id])).to.deep.equal([]);
  });

  it("deletes a session's rows with the session", async () => {
    const id = await insert();
    await db.query("INSERT INTO session_runtime (session_id) VALUES ($1)", [id]);
    await db.query("INSERT INTO events (session_id, seq, payload) VALUES ($1, 1, '{}')", [id]);
    const [stage, execution] = [randomUUID(), randomUUID()];
    await db.query(
      "INSERT INTO stages (stage_id, session_id, stage_name, stage_index, expected_agent_count) VALUES ($1, $2, 's', 1, 1)",
      [stage, id],
    );
    await db.query(
      `INSERT INTO agent_executions (execution_id, stage_id, session_id, agent_name, agent_index, iteration_strategy,
         iteration_state, llm_provider) VALUES ($1, $2, $3, 'a', 1, 'react', '{}', 'p')`,
      [execution, stage, id],
    );
    await db.query(
      `INSERT INTO messages (message_id, session_id, stage_id, execution_id, sequence_number, role, content)
       VALUES ($1, $2, $3, $4, 1, 'user', 'x')`,
      [randomUUID(), id, stage, execution],
    );
    await db.query("DELETE FROM alert_sessions WHERE session_id = $1", [id]);
    expect(await db.query("SELECT 1 FROM messages WHERE session_id = $1", [id])).to.deep.equal([]);
    expect(await db.query("SELECT 1 FROM events WHERE session_id = $1", [id])).to.deep.equal([]);
    expect(await db.query("SELECT 1 FROM session_runtime WHERE session_id = $1", [id])).to.deep.equal([]);
  });

  it("indexes no column that changes with every heartbeat", async () => {
    expect(
      await db.query("SELECT indexname FROM pg_indexes WHERE tablename = 'session_runtime' ORDER BY 1"),
      // Only the purge changes the condition of the first one, and only an erasure puts a row into the last one; the next test has the second.
    ).to.deep.equal([
      { indexname: "session_runtime_not_purged" },
      { indexname: "session_runtime_out_of_place" },
      { indexname: "session_runtime_pkey" },
      { indexname: "session_runtime_to_erase" },
    ]);
  });

  it("writes no index for the lease of a session that runs in its own place", async () => {
    const id = await insert();
    await db.query("INSERT INTO session_runtime (session_id) VALUES ($1)", [id]);
    const lease = "lease_expires_at = clock_timestamp()";
    const claim = `${lease}, place_id = session_id`;
    const release = "lease_expires_at = NULL";
    const changes = [claim, lease, `${release}, place_id = NULL`, claim, release, claim];
    const inPage = await db.transaction(async (transaction) => {
      const count = async () =>
        transaction.query(
          "SELECT pg_stat_get_xact_tuples_hot_updated('session_runtime'::regclass)::int AS n",
        );
      const counts = [await count()];
      for (const set of changes) {
        await transaction.query(`UPDATE session_runtime SET ${set} WHERE session_id = $1`, [id]);
        counts.push(await count());
      }
      return counts.flat().map((row) => parseCount(row).n);
    });
    // All but that it is put off, and that it goes on.
    expect(inPage.map((n) => n - Number(inPage[0]))).to.deep.equal([0, 1, 2, 3, 4, 4, 4]);
  });

  it("returns int8 as a number", async () => {
    expect(await db.query("SELECT 9007199254740991::int8 AS n")).to.deep.equal([
      { n: Number.MAX_SAFE_INTEGER },
    ]);
  });
});
