import { expect } from "chai";
import type { Database } from "#shared/database/database.ts";
import {
  SWEEP_CONFIGS,
  configKeeper,
  keepConfig,
  readConfig,
  storedConfig,
} from "#shared/database/resolved-configs.ts";
import { resolvedChain } from "../../../services/executor/test/resolved-chain.ts";
import { DatabaseFixture } from "./database-fixture.ts";

describe("the configurations of sessions", () => {
  let fixture: DatabaseFixture;
  let db: Database;
  before(async () => {
    fixture = await DatabaseFixture.start();
    db = await fixture.migrated();
  });
  after(() => fixture[Symbol.asyncDispose]());
  beforeEach(async () => {
    await db.query("DELETE FROM alert_sessions");
    await db.query("DELETE FROM resolved_configs");
  });

  const keep = async (hash: string) => keepConfig(db, { hash, json: `{"name": "${hash}"}` });
  const use = async (hash: string, ago: string) =>
    db.query("UPDATE resolved_configs SET used_at = now() - $2::interval WHERE config_hash = $1", [
      hash,
      ago,
    ]);
  const isFresh = async () =>
    db.query("SELECT used_at > now() - interval '1 minute' AS fresh FROM resolved_configs");
  const stored = async () => db.query("SELECT config_hash AS hash FROM resolved_configs ORDER BY 1");

  it("are stored once, and noted as used at most once an hour", async () => {
    const config = storedConfig(resolvedChain());
    for (const [ago, fresh] of [
      ["59 minutes", false],
      ["61 minutes", true],
    ] as const) {
      await keepConfig(db, config);
      await use(config.hash, ago);
      await keepConfig(db, config);
      expect(await isFresh(), ago).to.deep.equal([{ fresh }]);
    }
    const [row] = await db.query("SELECT session_timeout_ms::int, budgets FROM resolved_configs");
    expect(row).to.deep.equal({ session_timeout_ms: resolvedChain().session_timeout_ms, budgets: null });
    expect(await readConfig(db, config.hash)).to.deep.equal(JSON.parse(config.json));
    expect(await readConfig(db, "unknown")).to.equal(null);
  });

  it("do not make sessions wait for one another", async () => {
    await keep("common");
    await db.transaction(async (transaction) => {
      await keepConfig(transaction, { hash: "common", json: "{}" });
      // It would wait for the end of the transaction, in which it runs.
      await keep("common");
    });
    expect(await stored()).to.deep.equal([{ hash: "common" }]);
  });

  it("are looked for by a process once in a while", async () => {
    const queries: string[] = [];
    const counting = {
      query: async (sql: string, parameters?: unknown[]) => {
        queries.push(sql);
        return db.query(sql, parameters);
      },
    };
    const keeper = configKeeper(counting);
    const [one, other] = ["one", "other"].map((hash) => ({ hash, json: "{}" }));
    if (one === undefined || other === undefined) throw new Error("no configurations");
    for (const config of [one, one, other, one]) await keeper(config);
    expect(queries).to.have.length(2);
    expect(await stored()).to.deep.equal([{ hash: "one" }, { hash: "other" }]);
  });

  it("are swept by the times of the oldest sessions of each status, without a look at the others", async () => {
    const plan = await db.transaction(async (transaction) => {
      await transaction.query("SET LOCAL enable_seqscan = off");
      return JSON.stringify(await transaction.query(`EXPLAIN ${SWEEP_CONFIGS}`));
    });
    expect(plan).to.match(/alert_sessions_status_created.{0,200}Index Cond: \(status = one\.status\)/u);
  });

  it("stay as long as a session may need them", async () => {
    for (const hash of ["new", "old", "oldest"]) await keep(hash);
    await use("old", "4 days");
    await use("oldest", "6 days");
    const swept = async () => {
      await db.query(SWEEP_CONFIGS);
      return stored();
    };
    const id = await fixture.insertSession(db);
    await db.query("UPDATE alert_sessions SET created_at = now() - interval '4 days' WHERE session_id = $1", [
      id,
    ]);
    expect(await swept()).to.deep.equal([{ hash: "new" }, { hash: "old" }]);
    // Also one that has ended, and was deleted.
    await db.query(
      "UPDATE alert_sessions SET status = 'completed', completed_at = now(), deleted_at = now() WHERE session_id = $1",
      [id],
    );
    expect(await swept()).to.deep.equal([{ hash: "new" }, { hash: "old" }]);
    await db.query("DELETE FROM alert_sessions");
    expect(await swept()).to.deep.equal([{ hash: "new" }]);
  });
});
