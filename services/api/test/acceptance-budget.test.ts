import { once } from "node:events";
import { connect } from "node:net";
import { expect } from "chai";
import { until } from "../../../test/support/until.ts";
import { TcpProxy, type ProxyTap } from "../../../test/support/tcp-proxy.ts";
import { BackingServers } from "../../../test/support/backing-servers.ts";
import { ApiFixture } from "./api-fixture.ts";

/** Types of messages from a client of Postgres. */
const EXECUTE = "E".charCodeAt(0);
const SIMPLE_QUERY = "Q".charCodeAt(0);
const SYNC = "S".charCodeAt(0);
const LENGTH_BYTES = 4;

/** What the api sends, counted where it leaves the process. */
class Traffic {
  statements = 0;
  roundTrips = 0;
  published = 0;
  answers = 0;

  /** Counts the messages of one connection to Postgres. */
  readonly postgresTap = (): ProxyTap => {
    let rest = Buffer.alloc(0);
    // The first message of a connection has no type.
    let typeBytes = 0;
    return {
      fromClient: (bytes) => {
        rest = Buffer.concat([rest, bytes]);
        while (rest.length >= typeBytes + LENGTH_BYTES) {
          const end = typeBytes + rest.readUInt32BE(typeBytes);
          if (rest.length < end) break;
          const type = typeBytes === 0 ? 0 : rest[0];
          if (type === EXECUTE || type === SIMPLE_QUERY) this.statements += 1;
          if (type === SYNC || type === SIMPLE_QUERY) this.roundTrips += 1;
          rest = rest.subarray(end);
          typeBytes = 1;
        }
        return "forward";
      },
      fromServer: () => "forward",
    };
  };

  /** Counts the messages of one connection to NATS; no payload of ours contains a line break. */
  readonly natsTap = (): ProxyTap => {
    const count = (pattern: RegExp) => {
      let line = "";
      return (bytes: Buffer): number => {
        const lines = (line + bytes.toString("latin1")).split("\r\n");
        line = lines.pop() ?? "";
        return lines.filter((one) => pattern.test(one)).length;
      };
    };
    const [publishes, messages] = [count(/^H?PUB /u), count(/^H?MSG /u)];
    return {
      fromClient: (bytes) => {
        this.published += publishes(bytes);
        return "forward";
      },
      fromServer: (bytes) => {
        this.answers += messages(bytes);
        return "forward";
      },
    };
  };
}

describe("what an accepted alert costs", () => {
  const resources = new AsyncDisposableStack();
  const traffic = new Traffic();
  let servers: BackingServers;
  let api: ApiFixture;

  const through = async (address: string, tap: () => ProxyTap): Promise<string> => {
    const url = new URL(address);
    const { hostname: host, port } = url;
    url.port = String(resources.use(await TcpProxy.start({ host, port: Number(port), tap })).port);
    return url.href;
  };

  before(async () => {
    servers = resources.use(await BackingServers.share());
    const env = {
      DATABASE_URL: await through(servers.postgres.url, traffic.postgresTap),
      NATS_URL: await through(servers.nats.url, traffic.natsTap),
    };
    api = resources.use(await ApiFixture.start({ servers, env }));
    await until("NATS answers", async () =>
      api.deps.dispatcher.check().then(
        () => true,
        () => false,
      ),
    );
    // One sweep, after which wake-ups are sent at once; the next one is far away.
    api.sweep(3_600_000);
    await submit(1);
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
      host: "api",
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
    const { statements, roundTrips, published, answers } = traffic;
    await work();
    const cost = {
      statements: traffic.statements - statements,
      roundTrips: traffic.roundTrips - roundTrips,
      published: traffic.published - published,
      answers: traffic.answers - answers,
    };
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
