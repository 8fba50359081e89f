import { expect } from "chai";
import { Client } from "pg";
import { isDatabaseUnavailable } from "#shared/database/connection/database-unavailable.ts";
import { keepConfig } from "#shared/database/resolved-configs.ts";
import { until } from "../../../test/support/until.ts";
import type { NewSession } from "../alerts/new-session.ts";
import { SessionInserts } from "../alerts/session-inserts.ts";
import { ApiFixture } from "./api-fixture.ts";
import { newSessionRow } from "./new-session-row.ts";

/** The processes of Postgres that wait for a lock on alert_sessions. */
const WAITING = `SELECT pid FROM pg_locks
WHERE NOT granted AND relation = 'alert_sessions'::regclass
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;

describe("SessionInserts", () => {
  const resources = new AsyncDisposableStack();
  let api: ApiFixture;

  before(async () => {
    api = resources.use(await ApiFixture.start());
  });
  after(() => resources.disposeAsync());

  const session = newSessionRow;
  /** These columns of the sessions that are stored, in the order of `sessions`. */
  const stored = async (sessions: readonly NewSession[], columns: string) =>
    api.servers.query(
      `SELECT ${columns} FROM unnest($1::uuid[]) WITH ORDINALITY AS one (id, n)
       JOIN alert_sessions s ON s.session_id = one.id JOIN session_runtime r USING (session_id)
       JOIN resolved_configs c USING (config_hash) ORDER BY n`,
      [sessions.map(({ sessionId }) => sessionId)],
    );
  const insertAll = async (inserts: SessionInserts, sessions: readonly NewSession[]) =>
    Promise.allSettled(sessions.map(async (one) => inserts.insert(one)));
  const untilWaiting = async (statements: number) =>
    until("statements wait for the lock", async () => {
      const found = await api.servers.query(WAITING, []);
      return found.length === statements;
    });
  /** Keeps every other transaction from `alert_sessions` until it is disposed. */
  const lock = async (): Promise<AsyncDisposable> => {
    const client = new Client({ connectionString: api.servers.postgres.url });
    await client.connect();
    await client.query("BEGIN");
    await client.query("LOCK TABLE alert_sessions IN ACCESS EXCLUSIVE MODE");
    return { [Symbol.asyncDispose]: () => client.end() };
  };

  it("stores sessions that arrive together in one transaction, each with all of its columns", async () => {
    const sessions = [
      session(),
      session({ runbook: "r", mcpSelection: '{"servers":[]}', metadata: '{"notice":"n"}' }),
      session({ config: { hash: "i", json: '{"b":2}' }, chainId: "other", alertType: "another" }),
      session(),
    ];
    for (const { config } of sessions) await keepConfig(api.deps.db, config);
    await insertAll(new SessionInserts(api.deps.db), sessions);
    const columns = `alert_data, agent_type, alert_type, author, runbook_url, mcp_selection::text, chain_id,
      config::text, config_hash, session_metadata, status, last_seq`;
    expect(await stored(sessions, columns)).to.deep.equal(
      sessions.map((one) => ({
        alert_data: one.data,
        agent_type: one.alertType,
        alert_type: one.alertType,
        author: one.author,
        runbook_url: one.runbook,
        mcp_selection: one.mcpSelection === null ? null : '{"servers": []}',
        chain_id: one.chainId,
        config: one.config.hash === "h" ? '{"a": 1}' : '{"b": 2}',
        config_hash: one.config.hash,
        session_metadata: one.metadata === null ? null : { notice: "n" },
        status: "pending",
        last_seq: 0,
      })),
    );
    const transactions = await stored(sessions, "s.xmin::text AS id");
    expect(transactions).to.deep.equal(sessions.map(() => transactions[0]));
  });

  it("fails only the session that Postgres refuses", async () => {
    await api.servers.query(
      "ALTER TABLE alert_sessions ADD CONSTRAINT no_bad CHECK (alert_data <> 'bad')",
      [],
    );
    const sessions = [session(), session({ data: "bad" }), session()];
    const settled = await insertAll(new SessionInserts(api.deps.db), sessions);
    expect(settled.map(({ status }) => status)).to.deep.equal(["fulfilled", "rejected", "fulfilled"]);
    expect(await stored(sessions, "alert_data")).to.have.length(2);
  });

  it("fails all sessions of a statement whose connection breaks, as unavailable", async () => {
    const sessions = [session(), session(), session()];
    await using locked = await lock();
    const settling = insertAll(new SessionInserts(api.deps.db), sessions);
    await untilWaiting(1);
    await api.servers.query(`SELECT pg_terminate_backend(pid) FROM (${WAITING}) AS waiting`, []);
    for (const one of await settling) {
      expect(one.status === "rejected" && isDatabaseUnavailable(one.reason)).to.equal(true);
    }
    await locked[Symbol.asyncDispose]();
    expect(await stored(sessions, "alert_data")).to.have.length(0);
  });

  it("writes together what arrives while two statements run", async () => {
    const inserts = new SessionInserts(api.deps.db);
    const [first, second, ...rest] = Array.from({ length: 20 }, () => session());
    if (first === undefined || second === undefined) throw new Error("no sessions");
    const locked = await lock();
    const all = [inserts.insert(first)];
    await untilWaiting(1);
    all.push(inserts.insert(second));
    await untilWaiting(2);
    all.push(...rest.map(async (one) => inserts.insert(one)));
    await locked[Symbol.asyncDispose]();
    await Promise.all(all);
    const transactions = await stored(rest, "s.xmin::text AS id");
    expect(transactions).to.deep.equal(rest.map(() => transactions[0]));
  });

  it("refuses what has waited for too long, and does not store it", async () => {
    let time = 0;
    const inserts = new SessionInserts(api.deps.db, () => time);
    const locked = await lock();
    const running = [insertAll(inserts, [session()])];
    await untilWaiting(1);
    running.push(insertAll(inserts, [session()]));
    await untilWaiting(2);
    const late = session();
    const refusing = insertAll(inserts, [late]);
    time = 5_001;
    await locked[Symbol.asyncDispose]();
    await Promise.all(running);
    const [refused] = await refusing;
    expect(refused?.status === "rejected" && refused.reason).to.include({ status: 503 });
    expect(await stored([late], "alert_data")).to.have.length(0);
  });
});
