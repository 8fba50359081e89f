import { expect } from "chai";
import { OPEN_ROWS } from "#shared/database/open-rows.ts";
import { until } from "../../../test/support/until.ts";
import { FEATURES, samplePoints } from "./features/sampled-points.ts";
import { runToEnd, type Feature, type FeatureLab } from "./features/feature.ts";
import { RunFixture } from "./run-fixture.ts";
import { brokenEvents, differences, sessionRows } from "./session-rows.ts";
import { ToolRunnerFixture } from "./tool-runner-fixture.ts";
import { installWritePoints } from "./write-points.ts";

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

describe("a session that is disturbed at a write", function () {
  this.timeout(900_000);
  const resources = new AsyncDisposableStack();
  const [samples, samplesOfCancels] = [samplePoints(), samplePoints()];
  let lab: FeatureLab;

  before(async () => {
    const runs = resources.use(await RunFixture.start({ others: ["second", "third"] }));
    const points = await installWritePoints(runs.executor);
    lab = { runs, points, tools: resources.use(await ToolRunnerFixture.start(runs.executor.servers)) };
  });
  after(() => resources.disposeAsync());

  const query = async (sql: string, id: string) => lab.runs.executor.query(sql, [id]);

  /** A session that nothing disturbs: its rows and the kinds of its writes. */
  const undisturbed = async (feature: Feature) => {
    const called = await lab.tools.calls();
    const id = await feature.start(lab);
    await lab.points.record(id);
    expect(await runToEnd(lab, feature, id)).to.equal(feature.end ?? "completed");
    await feature.always?.(lab, id);
    const rows = await sessionRows(lab.runs.executor, id);
    if (feature.toolCalls !== undefined) expect(await lab.tools.calls()).to.equal(called + feature.toolCalls);
    await feature.forget?.(lab, id);
    return { rows, kinds: await lab.points.kinds(id) };
  };

  /** Kills the owner of a session after its nth write; the next owner of every other session dies, too. */
  const killed = async (feature: Feature, write: number) => {
    const called = await lab.tools.calls();
    const id = await feature.start(lab);
    await lab.points.kill(id, write);
    let atDeath: unknown;
    let deaths = 0;
    const end = await runToEnd(lab, feature, id, async (death) => {
      deaths = death;
      await feature.afterEachDeath?.(lab);
      if (death > 1) return;
      atDeath = await feature.afterDeath?.(lab, id);
      if (write % 2 === 0) await lab.points.kill(id, 1 + (write % 3));
    });
    expect(end).to.be.oneOf([feature.end ?? "completed", ...(feature.mayFail === true ? ["failed"] : [])]);
    expect(await brokenEvents(lab.runs.executor, id)).to.deep.equal([]);
    if (feature.toolCalls !== undefined) expect(await lab.tools.calls()).to.equal(called + feature.toolCalls);
    await feature.expects?.(lab, id, atDeath);
    await feature.always?.(lab, id);
    const rows = await sessionRows(lab.runs.executor, id);
    await feature.forget?.(lab, id);
    return { rows, deaths };
  };

  /** Cancels a session with its nth write, without a message. Resolves with false if it has ended before. */
  const expectCancelled = async (feature: Feature, write: number) => {
    const id = await feature.start(lab);
    await lab.points.cancel(id, write);
    const end = await runToEnd(lab, feature, id);
    if (!(await lab.points.isCancelled(id))) return false;
    expect(end).to.equal("cancelled");
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
    return true;
  };

  /** Does this at each of these writes, which resolves with false if the session has ended before; an error names the write. */
  const atEach = async (
    writes: readonly number[],
    kinds: readonly string[],
    disturb: (write: number) => Promise<boolean>,
  ) => {
    const disturbAt = async (write: number) => {
      try {
        return await disturb(write);
      } catch (error) {
        if (error instanceof Error) error.message = `write ${write}: ${kinds[write - 1]}: ${error.message}`;
        throw error;
      }
    };
    let isDisturbed = false;
    for (const write of writes) isDisturbed = (await disturbAt(write)) || isDisturbed;
    // Steps that are committed together make fewer writes, so that the last ones may not be reached.
    expect(isDisturbed || (await disturbAt(1)), "a session was disturbed").to.equal(true);
  };

  for (const feature of FEATURES) {
    let run: ReturnType<typeof undisturbed> | undefined;
    const found = async () => (run ??= undisturbed(feature));
    const what = feature.expects === undefined ? "ends with the same rows" : "keeps its promise";
    it(`${what} if its executor dies, and dies again: ${feature.name}`, async () => {
      const { rows, kinds } = await found();
      await atEach(samples(kinds), kinds, async (write) => {
        const end = await killed(feature, write);
        if (feature.expects === undefined) expect(differences(rows, end.rows)).to.deep.equal([]);
        return end.deaths > 0;
      });
    });
    // Work after the end of a session is cancelled by itself: follow-ups.test.ts, scoring.test.ts.
    if (feature.end !== undefined) continue;
    it(`leaves nothing open and starts nothing after a cancel: ${feature.name}`, async () => {
      const { kinds } = await found();
      await atEach(samplesOfCancels(kinds), kinds, async (write) => expectCancelled(feature, write));
      await until("no call of a model runs", async () => (await lab.runs.gateway.running()) === 0);
    });
  }
});
