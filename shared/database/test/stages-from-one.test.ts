import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { pino } from "pino";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import type { Database } from "#shared/database/database.ts";
import { migrate } from "#shared/database/migrate.ts";
import { StagesFromOne0000000000021 } from "#shared/database/migrations/0021-stages-from-one.ts";
import { openForMigrations } from "#shared/database/open-orm.ts";
import { undoMigrations } from "#shared/database/undo-migrations.ts";
import { NUMBERS } from "../../../test/support/stage-numbers.ts";
import { DatabaseFixture } from "./database-fixture.ts";

const log = pino({ level: "silent" });

describe("the migration to stages that count from 1", () => {
  let fixture: DatabaseFixture;
  let db: Database;

  before(async () => {
    fixture = await DatabaseFixture.start();
  });
  after(() => fixture[Symbol.asyncDispose]());
  beforeEach(async () => {
    db = await fixture.connect(await fixture.emptyDatabase());
    await migrate(db, log);
    await undoMigrations(db, 20, log);
  });

  /** A session as the version before has it, with this many stages. */
  const insert = async (status: string, stages: number, config: object): Promise<string> => {
    const id = randomUUID();
    await db.query(
      `INSERT INTO alert_sessions (session_id, alert_data, agent_type, chain_id, resolved_config, config_hash, status,
         completed_at, current_stage_index)
       VALUES ($1, 'x', 'a', 'c', $2, 'h', $3::session_status, CASE WHEN $3 = 'completed' THEN now() END, $4)`,
      [id, JSON.stringify(config), status, stages === 0 ? null : stages - 1],
    );
    await db.query(
      `INSERT INTO session_runtime (session_id, lease_owner, lease_epoch, lease_expires_at)
       VALUES ($1, 'pod', 5, CASE WHEN $2 = 'in_progress' THEN now() + interval '1 min' END)`,
      [id, status],
    );
    for (let index = 0; index < stages; index += 1) {
      await db.query(
        `INSERT INTO stages (stage_id, session_id, stage_name, stage_index, expected_agent_count)
         VALUES (gen_random_uuid(), $1, 's', $2, 1)`,
        [id, index],
      );
      for (const payload of [
        { type: "stage.started", stage_index: index },
        { type: "session.progress", current_stage_index: index },
        { type: "execution.status", agent_index: 7 },
      ]) {
        await db.query("INSERT INTO events (session_id, seq, payload) VALUES ($1, $2, $3)", [
          id,
          3 * index + (payload.type === "stage.started" ? 1 : payload.type === "session.progress" ? 2 : 3),
          JSON.stringify(payload),
        ]);
      }
    }
    return id;
  };
  const parseRow = compileParser("row", Type.Object({}, { additionalProperties: true }));
  const rowOf = async (sql: string, id: string) => (await selectRows(db, parseRow, sql, [id]))[0];
  const read = async (id: string): Promise<object> => ({
    ...(await rowOf(NUMBERS, id)),
    ...(await rowOf(
      `SELECT resolved_config AS config, lease_epoch AS epoch, lease_expires_at IS NOT NULL AS leased
       FROM alert_sessions JOIN session_runtime USING (session_id) WHERE session_id = $1`,
      id,
    )),
  });
  const one = { name: "one" };
  const two = { name: "two" };

  it("raises the numbers of all sessions, and the version of those that may still run, and ends their leases", async () => {
    const config = { version: 2, chain_id: "c", stages: [one, two] };
    const done = await insert("completed", 2, { chain_id: "c", stages: [one, two] });
    const running = await insert("in_progress", 2, config);
    const pending = await insert("pending", 0, { ...config, version: 3 });
    await migrate(db, log);
    const raised = { version: 4, chain_id: "c", stages: [null, one, two] };
    const numbers = { stages: "1 2", current: 2, events: "1 2", progress: "1 2" };
    expect(await read(done)).to.deep.equal({
      ...numbers,
      config: { chain_id: "c", stages: [one, two] },
      epoch: 5,
      leased: false,
    });
    expect(await read(running)).to.deep.equal({ ...numbers, config: raised, epoch: 6, leased: false });
    const none = { stages: null, current: null, events: null, progress: null };
    expect(await read(pending)).to.deep.equal({ ...none, config: raised, epoch: 5, leased: false });
  });

  it("raises the version of a session that an api of the version before inserts later", async () => {
    await migrate(db, log);
    const old = await insert("pending", 0, { version: 2, stages: [one] });
    expect(await read(old)).to.deep.include({ config: { version: 4, stages: [null, one] } });
    const stored = { version: 4, stages: [null, one] };
    expect(await read(await insert("pending", 0, stored))).to.deep.include({ config: stored });
  });

  it("leaves nothing behind when undone", async () => {
    await migrate(db, log);
    const id = await insert("in_progress", 0, { version: 4, stages: [null, one] });
    const orm = await openForMigrations(db.url, log);
    const runner = orm.createQueryRunner();
    await new StagesFromOne0000000000021().down(runner);
    expect(await read(id)).to.deep.include({
      config: { version: 3, stages: [one] },
      epoch: 6,
      leased: false,
    });
    await new StagesFromOne0000000000021().up(runner);
    await orm.destroy();
    expect(await read(id)).to.deep.include({ config: { version: 4, stages: [null, one] }, epoch: 6 });
  });
});
