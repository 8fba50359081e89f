import { expect } from "chai";
import { OPEN_ROWS } from "#shared/database/open-rows.ts";
import { until } from "../../../test/support/until.ts";
import { FEATURES, samplePoints } from "./features/sampled-points.ts";
import { runToEnd, type Feature, type FeatureLab } from "./features/feature.ts";
import { RunFixture } from "./run-fixture.ts";
import { brokenEvents } from "./session-rows.ts";
import { ToolRunnerFixture } from "./tool-runner-fixture.ts";
import { installWritePoints, type WritePoints } from "./write-points.ts";

const SESSION = `
SELECT status::text, executive_summary,
  (SELECT concat_ws(' ', payload ->> 'type', payload ->> 'status') FROM events WHERE session_id = $1 ORDER BY seq DESC LIMIT 1) AS last
FROM alert_sessions WHERE session_id = $1`;

/** Rows that are open, of each table that may have some; calls of tools are closed by their runner. */
const OPEN = Object.entries(OPEN_ROWS)
  .filter(([table]) => table !== "tool_calls")
  .map(
    ([table, { column, open }]) =>
      `SELECT '${table} ' || ${column} AS open FROM ${table} WHERE session_id = $1 AND ${column}::text IN ('${open.join("', '")}')`,
  )
  .join("\nUNION ALL ");

/** Calls and steps that began after the session had ended. */
const STARTED_AFTER = Object.entries({
  llm_interactions: "created_at",
  mcp_interactions: "created_at",
  messages: "created_at",
  timeline_events: "created_at",
  tool_calls: "started_at",
})
  .map(
    ([table, begin]) => `SELECT '${table}' AS started FROM ${table} t JOIN alert_sessions s USING (session_id)
     WHERE session_id = $1 AND t.${begin} > s.completed_at`,
  )
  .join("\nUNION ALL ");

describe("a session that is cancelled with a write, without a message", function () {
  this.timeout(900_000);
  const resources = new AsyncDisposableStack();
  const sample = samplePoints();
  let lab: FeatureLab;
  let points: WritePoints;

  before(async () => {
    const runs = resources.use(await RunFixture.start({ others: ["second", "third"] }));
    points = await installWritePoints(runs.executor);
    lab = { runs, points, tools: resources.use(await ToolRunnerFixture.start(runs.executor.servers)) };
  });
  after(() => resources.disposeAsync());

  const query = async (sql: string, id: string) => lab.runs.executor.query(sql, [id]);

  const kindsOf = async (feature: Feature) => {
    const id = await feature.start(lab);
    await points.record(id);
    expect(await runToEnd(lab, feature, id)).to.equal("completed");
    return points.kinds(id);
  };

  const expectCancelled = async (feature: Feature, write: number) => {
    const id = await feature.start(lab);
    await points.cancel(id, write);
    expect(await runToEnd(lab, feature, id)).to.equal("cancelled");
    expect(await query(SESSION, id)).to.deep.equal([
      { status: "cancelled", executive_summary: null, last: "session.completed cancelled" },
    ]);
    expect(await query(OPEN, id)).to.deep.equal([]);
    expect(await brokenEvents(lab.runs.executor, id)).to.deep.equal([]);
    await until("the runner has ended its calls", async () => {
      const running = await query("SELECT 1 FROM tool_calls WHERE session_id = $1 AND state = 'running'", id);
      return running.length === 0;
    });
    expect(await query(STARTED_AFTER, id)).to.deep.equal([]);
    await feature.always?.(lab, id);
  };

  // Work after the end of a session is cancelled by itself: follow-ups.test.ts, scoring.test.ts.
  for (const feature of FEATURES.filter(({ end }) => end === undefined)) {
    it(`leaves nothing open and starts nothing after: ${feature.name}`, async () => {
      const kinds = await kindsOf(feature);
      for (const write of sample(kinds)) {
        try {
          await expectCancelled(feature, write);
        } catch (error) {
          if (error instanceof Error) {
            error.message = `with write ${write}: ${kinds[write - 1]}: ${error.message}`;
          }
          throw error;
        }
      }
      await until("no call of a model runs", async () => (await lab.runs.gateway.running()) === 0);
    });
  }
});
