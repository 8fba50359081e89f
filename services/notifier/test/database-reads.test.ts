import { expect } from "chai";
import { pino } from "pino";
import { Registry } from "prom-client";
import { rejectionOf } from "../../../launcher/test/rejection-of.ts";
import { DatabaseReads } from "../feed/database-reads.ts";
import { notifierMetrics } from "../notifier-metrics.ts";
import { NotifierFixture } from "./notifier-fixture.ts";
import type { Queryable } from "#shared/database/queryable.ts";

describe("DatabaseReads", () => {
  let fixture: NotifierFixture;
  let reads: DatabaseReads;
  const { signal } = new AbortController();

  before(async () => {
    fixture = await NotifierFixture.start();
    const metrics = notifierMetrics(new Registry());
    const log = pino({ level: "silent" });
    reads = new DatabaseReads({ db: fixture.db, log, metrics, concurrency: 1, maxWaiting: 1 });
  });
  after(() => fixture[Symbol.asyncDispose]());

  it("repeats a read that the server ended because it took too long", async () => {
    let tries = 0;
    const read = async (): Promise<unknown> =>
      fixture.db.transaction(async (manager): Promise<unknown> => {
        tries += 1;
        await manager.query("SET LOCAL statement_timeout = 50");
        return manager.query(`SELECT ${tries} AS n, pg_sleep(${tries === 1 ? 60 : 0})`);
      });
    expect(await reads.run({ what: "history", signal, read })).to.deep.equal([{ n: 2, pg_sleep: "" }]);
  });

  it("throws any other error", async () => {
    const read = async (manager: Queryable): Promise<unknown> => manager.query("SELECT 1/0");
    expect(await rejectionOf(reads.run({ what: "history", signal, read }))).to.equal("division by zero");
  });
});
