import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { pino } from "pino";
import { openBus, type Bus } from "#shared/bus/open-bus.ts";
import { queuedSessions } from "#shared/bus/queue-admin.ts";
import { SESSIONS_STREAM, type SessionLane } from "#shared/contracts/subjects.ts";
import { until } from "../../../test/support/until.ts";
import { ApiFixture } from "./api-fixture.ts";

const { signal } = new AbortController();
const log = pino({ level: "silent" });

describe("the lanes of wake-ups from the api", () => {
  let api: ApiFixture;
  let bus: Bus;

  beforeEach(async () => {
    api = await ApiFixture.start();
    bus = await openBus({ url: api.servers.nats.url, name: "test", log, signal });
    await until("the streams exist", () => queuedSessions(bus));
  });
  afterEach(async () => {
    await bus[Symbol.asyncDispose]();
    await api[Symbol.asyncDispose]();
  });

  /** Inserts a session without a wake-up; later ones are younger. */
  const insert = async (lane: SessionLane, status = "pending") => {
    const id = randomUUID();
    await api.servers.query(
      `WITH session AS (
         INSERT INTO alert_sessions (session_id, alert_data, agent_type, chain_id, config_hash, lane, status)
         VALUES ($1, 'x', 'test', 'c', 'h', $2, $3::session_status) RETURNING session_id)
       INSERT INTO session_runtime (session_id) SELECT session_id FROM session`,
      [id, lane, status],
    );
    return id;
  };
  /** The subjects in the stream, in its order. */
  const subjects = async (count: number) => {
    await until("all are in the stream", async () => (await queuedSessions(bus)).size === count);
    const { state } = await bus.jsm.streams.info(SESSIONS_STREAM);
    const found: string[] = [];
    for (let seq = state.first_seq; seq <= state.last_seq; seq++) {
      found.push((await bus.jsm.streams.getMessage(SESSIONS_STREAM, { seq })).subject);
    }
    return found;
  };
  it("are published in their order: started sessions first, each lane oldest first", async () => {
    const [low, normal] = [await insert("low"), await insert("normal")];
    const [critical, second] = [await insert("critical"), await insert("normal")];
    const [startedLow, startedCritical] = [
      await insert("low", "in_progress"),
      await insert("critical", "cancelling"),
    ];
    api.sweep(50);
    expect(await subjects(6)).to.deep.equal([
      `tarsy.sessions.critical.${startedCritical}`,
      `tarsy.sessions.low.${startedLow}`,
      `tarsy.sessions.critical.${critical}`,
      `tarsy.sessions.normal.${normal}`,
      `tarsy.sessions.normal.${second}`,
      `tarsy.sessions.low.${low}`,
    ]);
  });

  it("have a wake-up for a session that runs in the place of one that waits", async () => {
    const [waiting, over] = [await insert("normal"), await insert("normal")];
    await api.servers.query(
      "UPDATE alert_sessions SET status = 'completed', completed_at = now() WHERE session_id = $1",
      [over],
    );
    const runs = async (place: string | null) => {
      const id = await insert("critical", "in_progress");
      await api.servers.query(
        `UPDATE session_runtime SET lease_expires_at = now() + interval '1 h', lease_epoch = 1,
           place_id = coalesce($2, session_id) WHERE session_id = $1`,
        [id, place],
      );
      return id;
    };
    const [borrower] = [await runs(waiting), await runs(over), await runs(null)];
    api.sweep(50);
    expect(await subjects(2)).to.deep.equal([
      `tarsy.sessions.normal.${waiting}`,
      `tarsy.sessions.critical.${borrower}`,
    ]);
    const marker = await insert("low");
    expect(await subjects(3)).to.include(`tarsy.sessions.low.${marker}`);
  });
});
