import { expect } from "chai";
import { pino } from "pino";
import { openDatabase } from "#shared/database/connection/open-database.ts";
import { BackingServers } from "./backing-servers.ts";
import { isCommit, postgresTap } from "./postgres-tap.ts";
import { TcpProxy } from "./tcp-proxy.ts";

describe("the tap on a connection to Postgres", () => {
  it("knows a transaction's statements, its beginning and its commit on a service's connection", async () => {
    await using resources = new AsyncDisposableStack();
    const servers = resources.use(await BackingServers.choose({}));
    const committed: (readonly string[])[] = [];
    const tap = () =>
      postgresTap({
        answered: (sql, transaction) => {
          if (isCommit(sql)) committed.push(transaction.map((text) => text.split("\n")[0] ?? ""));
          return "forward";
        },
      });
    const url = new URL(servers.postgres.url);
    const proxy = resources.use(await TcpProxy.start({ host: url.hostname, port: Number(url.port), tap }));
    url.port = String(proxy.port);
    const log = pino({ level: "silent" });
    const { signal } = new AbortController();
    const db = resources.use(
      await openDatabase({ url: url.href, applicationName: "tap", poolSize: 1, log, signal }),
    );
    for (const n of [1, 2]) {
      await db.query("SELECT $1::int AS before", [n]);
      await db.transaction(async (transaction) => transaction.query("SELECT $1::int AS within", [n]));
    }
    // BEGIN and COMMIT have no text of a prepared statement.
    const one = ["", "SELECT $1::int AS within", ""];
    expect(committed).to.deep.equal([one, one]);
  });
});
