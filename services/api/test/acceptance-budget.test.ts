import { once } from "node:events";
import { connect } from "node:net";
import { expect } from "chai";
import { until } from "../../../test/support/until.ts";
import { Traffic } from "../../../test/support/traffic.ts";
import { BackingServers } from "../../../test/support/backing-servers.ts";
import { sweepSessions } from "../sweeper/sweep-sessions.ts";
import { ApiFixture } from "./api-fixture.ts";

describe("what an accepted alert costs", () => {
  const resources = new AsyncDisposableStack();
  const traffic = resources.use(new Traffic());
  let servers: BackingServers;
  let api: ApiFixture;

  before(async () => {
    servers = resources.use(await BackingServers.share());
    const env = {
      DATABASE_URL: await traffic.countPostgres(servers.postgres.serviceUrls.api),
      NATS_URL: await traffic.countNats(servers.natsUrl("api")),
    };
    api = resources.use(await ApiFixture.start({ servers, env }));
    await api.untilConnected();
    // One sweep, after which wake-ups are sent at once. What it does for sessions of other tests is no cost of an alert.
    const stop = new AbortController();
    const sweeping = sweepSessions({ ...api.deps, agents: api.deps.config.agents }, stop.signal);
    await submit(1);
    stop.abort();
    await sweeping;
    await submit(2);
    await submit(1, { "idempotency-key": "first" });
  });
  after(() => resources.disposeAsync());

  /** Sends alerts in one write, so that they arrive together, and resolves once their wake-ups are answered. */
  const submit = async (count: number, headers: Record<string, string> = {}): Promise<void> => {
    const { wakeups } = api.deps.metrics;
    const queued = async () =>
      (await wakeups.get()).values.find(({ labels }) => labels.result === "queued")?.value ?? 0;
    const before = await queued();
    const body = JSON.stringify({ data: "disk full" });
    const fields = {
      host: "localhost",
      "content-type": "application/json",
      "content-length": body.length,
      ...headers,
    };
    const head = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
    const socket = connect(api.port, "127.0.0.1");
    await once(socket, "connect");
    let answer = "";
    socket.setEncoding("latin1").on("data", (text: string) => (answer += text));
    socket.write(`POST /api/v1/alerts HTTP/1.1\r\n${head.join("")}\r\n${body}`.repeat(count));
    await until("all are accepted", () => answer.split("HTTP/1.1 202").length === count + 1);
    socket.destroy();
    await until("all are in the stream", async () => (await queued()) === before + count);
  };

  /** The traffic of `work`, and the transactions that wrote the sessions that it added. */
  const costOf = async (work: () => Promise<void>) => {
    const known = await servers.query("SELECT session_id FROM alert_sessions", []);
    const { bytesRead: _, ...cost } = await traffic.of(work);
    const [row] = await servers.query(
      `SELECT count(DISTINCT xmin::text)::int AS n, count(*)::int AS sessions FROM alert_sessions
       WHERE session_id NOT IN (SELECT (item ->> 'session_id')::uuid FROM json_array_elements($1::json) AS item)`,
      [JSON.stringify(known)],
    );
    return { ...cost, transactions: row };
  };

  it("is one statement, one round trip, one transaction and one message with its answer", async () => {
    const cost = await costOf(async () => {
      for (let n = 0; n < 10; n++) await submit(1);
    });
    expect(cost).to.deep.equal({
      statements: 10,
      roundTrips: 10,
      published: 10,
      answers: 10,
      transactions: { n: 10, sessions: 10 },
    });
  });

  it("is the same with an idempotency key", async () => {
    const cost = await costOf(async () => submit(1, { "idempotency-key": "second" }));
    expect(cost).to.deep.equal({
      statements: 1,
      roundTrips: 1,
      published: 1,
      answers: 1,
      transactions: { n: 1, sessions: 1 },
    });
  });

  it("is one statement and one transaction for all alerts that arrive together", async () => {
    const cost = await costOf(async () => submit(20));
    expect(cost).to.deep.equal({
      statements: 1,
      roundTrips: 1,
      published: 20,
      answers: 20,
      transactions: { n: 1, sessions: 20 },
    });
  });
});
