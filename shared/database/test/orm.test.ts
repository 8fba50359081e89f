import { expect } from "chai";
import { pino } from "pino";
import { Orm } from "#shared/database/connection/orm.ts";
import { AlertSessionEntity } from "#shared/database/entities.ts";
import { BackingServers } from "../../../test/support/backing-servers.ts";

describe("the reads of whole rows", () => {
  const resources = new AsyncDisposableStack();
  const { signal } = new AbortController();
  const log = pino({ level: "silent" });
  let servers: BackingServers;

  before(async () => {
    servers = resources.use(await BackingServers.start({ migrated: true }));
  });
  after(() => resources.disposeAsync());

  const open = (applicationName: string) =>
    new Orm({ url: servers.postgres.serviceUrls.api, applicationName, poolSize: 1, log, signal });
  const connections = async (applicationName: string): Promise<unknown> => {
    const [row] = await servers.query(
      "SELECT count(*)::int AS n FROM pg_stat_activity WHERE application_name = $1",
      [applicationName],
    );
    return row;
  };

  it("connect with the first of them, and those at the same time together", async () => {
    await using orm = open("first-reads");
    await orm.check();
    expect(await connections("first-reads")).to.deep.equal({ n: 0 });
    const read = async () => orm.read(async (manager) => manager.find(AlertSessionEntity));
    expect(await Promise.all([read(), read(), orm.query("SELECT 1 AS one")])).to.deep.equal([
      [],
      [],
      [{ one: 1 }],
    ]);
    expect(await connections("first-reads")).to.deep.equal({ n: 1 });
    await orm.check();
  });

  it("fail while the database is away, and connect with the next one", async () => {
    await using orm = open("late-reads");
    const read = async () => orm.snapshot(async (manager) => manager.find(AlertSessionEntity));
    await servers.stopPostgres();
    const failed = await Promise.allSettled([read(), read()]);
    expect(failed.map(({ status }) => status)).to.deep.equal(["rejected", "rejected"]);
    await servers.restartPostgres();
    expect(await read()).to.deep.equal([]);
  });
});
