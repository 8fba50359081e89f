import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";
import { pino } from "pino";
import { openBus } from "#shared/bus/open-bus.ts";
import { queuedSessions } from "#shared/bus/queue-admin.ts";
import { SESSIONS_STREAM, lastToken } from "#shared/contracts/subjects.ts";
import { until } from "../../../test/support/until.ts";
import { ApiFixture } from "./api-fixture.ts";

const log = pino({ level: "silent" });
const { signal } = new AbortController();
/** As in production: new alerts arrive between two sweeps. */
const SWEEP_MS = 2_000;
/** More than one page of the sweeper. */
const OLD = 1_200;

describe("the order of wake-ups", () => {
  const resources = new AsyncDisposableStack();
  let api: ApiFixture;

  before(async () => {
    api = resources.use(await ApiFixture.start({ ownServers: true }));
    api.sweep(SWEEP_MS);
  });
  after(() => resources.disposeAsync());

  /** Inserts unowned sessions without wake-ups that were accepted `hoursAgo`, and returns their ids, oldest first. */
  const insert = async (count: number, status: string, hoursAgo: number): Promise<string[]> => {
    const ids = Array.from({ length: count }, () => randomUUID());
    await api.servers.query(
      `WITH session AS (
         INSERT INTO alert_sessions (session_id, alert_data, agent_type, chain_id, config_hash, status,
                                     created_at)
         SELECT id, 'x', 'test', 'c', 'h', $2::session_status, now() - make_interval(hours => $3, secs => -n)
         FROM unnest($1::uuid[]) WITH ORDINALITY AS one (id, n) RETURNING session_id)
       INSERT INTO session_runtime (session_id) SELECT session_id FROM session`,
      [ids, status, hoursAgo],
    );
    return ids;
  };

  /** The sessions with a wake-up, in the order of the stream. */
  const stream = async (count: number): Promise<string[]> => {
    await using bus = await openBus({ url: api.servers.nats.url, name: "test", log, signal });
    await until("all are in the stream", async () => (await queuedSessions(bus)).size === count);
    const { state } = await bus.jsm.streams.info(SESSIONS_STREAM);
    const ids: string[] = [];
    for (let seq = state.first_seq; seq <= state.last_seq; seq++) {
      ids.push(lastToken((await bus.jsm.streams.getMessage(SESSIONS_STREAM, { seq })).subject));
    }
    return ids;
  };

  it("is that of age after NATS lost its store: started sessions, waiting ones, then new alerts", async () => {
    const waiting = await insert(OLD, "pending", 2);
    const started = await insert(5, "in_progress", 1);
    const cancelled = await insert(5, "cancelling", 3);
    await api.servers.killNats();
    await rm(join(api.servers.directory, "nats", "store"), { recursive: true, force: true });
    await api.servers.restartNats();
    const fresh: string[] = [];
    // From before the api's reconnect until its sweep has ended.
    await until("the api is connected and the older ones are dispatched", async () => {
      fresh.push(await api.client.submit("x"));
      const { values } = await api.deps.metrics.wakeups.get();
      return values.some(({ labels, value }) => labels.result === "queued" && value > waiting.length + 10);
    });
    fresh.push(await api.client.submit("x"), await api.client.submit("x"));
    const total = fresh.length + waiting.length + started.length + cancelled.length;
    expect(await stream(total)).to.deep.equal([...cancelled, ...started, ...waiting, ...fresh]);
  });
});
