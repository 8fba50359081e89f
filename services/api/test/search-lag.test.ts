import { expect } from "chai";
import { until } from "../../../test/support/until.ts";
import { indexSessions } from "../sweeper/index-sessions.ts";
import { keepSearchIndex } from "../sweeper/keep-search-index.ts";
import { ApiFixture } from "./api-fixture.ts";
import { seedSession } from "./seed-sessions.ts";

describe("the lag of the search", () => {
  let api: ApiFixture;
  before(async () => {
    api = await ApiFixture.start();
  });
  after(() => api[Symbol.asyncDispose]());

  it("grows while a round of indexing runs", async () => {
    await seedSession(api.db, { alert: "disk full" });
    const { log, db, metrics } = api.deps;
    const lag = async () => (await metrics.searchLag.get()).values[0]?.value ?? 0;
    const waitingStatement = async () => {
      const rows = await api.servers.query(
        "SELECT query_start::text AS at FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%search_progress%'",
        [],
      );
      return JSON.stringify(rows[0] ?? null);
    };
    const stop = new AbortController();
    let running: Promise<void> | undefined;
    let seen = "null";
    // A statement that waits for this lock fails after 3 s.
    await api.db.transaction(async (transaction) => {
      await transaction.query("LOCK TABLE session_texts IN ACCESS EXCLUSIVE MODE");
      running = keepSearchIndex({ db, log, metrics }, stop.signal);
      await until("the lag grows during one statement", async () => {
        const waiting = await waitingStatement();
        if (waiting !== "null" && waiting === seen) return (await lag()) > 0;
        seen = waiting;
        metrics.searchLag.set(0);
        return false;
      });
    });
    stop.abort();
    await running;
  });

  it("is two seconds for a session that may end at once, and none for one that has", async () => {
    const young = await seedSession(api.db, { age: 0, status: "in_progress" });
    const older = await seedSession(api.db, { age: 10, status: "in_progress" });
    const index = async () => {
      await indexSessions(api.db, new AbortController().signal);
      const sql = "SELECT session_id FROM session_texts WHERE session_id = ANY($1) ORDER BY session_id";
      return (await api.servers.query(sql, [[young, older]])).map((row) => JSON.stringify(row));
    };
    expect(await index()).to.deep.equal([JSON.stringify({ session_id: older })]);
    await api.servers.query(
      "UPDATE alert_sessions SET status = 'failed', completed_at = now(), review_status = 'needs_review' WHERE session_id = $1",
      [young],
    );
    expect(await index()).to.have.length(2);
  });
});
