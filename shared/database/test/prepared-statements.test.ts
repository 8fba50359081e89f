import { expect } from "chai";
import type { Database } from "#shared/database/database.ts";
import { isDatabaseUnavailable } from "#shared/database/connection/database-unavailable.ts";
import { DatabaseFixture } from "./database-fixture.ts";

const PREPARED = "SELECT count(*)::int AS n FROM pg_prepared_statements";

describe("prepared statements", () => {
  let fixture: DatabaseFixture;
  let db: Database;

  before(async () => {
    fixture = await DatabaseFixture.start();
  });
  beforeEach(async () => {
    db = await fixture.connect(undefined, { poolSize: 1 });
  });
  after(() => fixture[Symbol.asyncDispose]());

  const double = (n: number, text = "SELECT $1::int * 2 AS n") => db.query(text, [n]);
  const prepared = () => db.query(PREPARED);

  it("are made once for each text, and only for texts with parameters", async () => {
    expect(await double(1)).to.deep.equal([{ n: 2 }]);
    expect(await double(2)).to.deep.equal([{ n: 4 }]);
    await db.transaction(async (transaction) => transaction.query("SELECT $1::text AS t", ["x"]));
    expect(await prepared()).to.deep.equal([{ n: 2 }]);
  });

  it("are limited in number", async () => {
    for (let n = 0; n < 510; n += 1) await double(n, `SELECT $1::int + ${n} AS n`);
    expect(await prepared()).to.deep.equal([{ n: 500 }]);
    expect(await double(1)).to.deep.equal([{ n: 2 }]);
  });

  // A pooler that gives each transaction another server session forgets or confuses them, as this does.
  it("are given up where they get lost, without failing the statement", async () => {
    await double(1);
    await db.query("DEALLOCATE ALL");
    expect(await double(3)).to.deep.equal([{ n: 6 }]);
    expect(await prepared()).to.deep.equal([{ n: 0 }]);
    expect(await double(4)).to.deep.equal([{ n: 8 }]);
  });

  it("are given up where a transaction loses one, which may be repeated", async () => {
    await double(1);
    await db.query("DEALLOCATE ALL");
    const twice = async () =>
      db.transaction(async (transaction) => transaction.query("SELECT $1::int * 2 AS n", [5]));
    const error: unknown = await twice().catch((thrown: unknown) => thrown);
    expect(isDatabaseUnavailable(error)).to.equal(true);
    expect(await twice()).to.deep.equal([{ n: 10 }]);
  });
});
