import { expect } from "chai";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import { STEP } from "../../../test/support/nightly.ts";
import { testConfigDirectory } from "../../../test/support/config-directory.ts";
import { TEST_GATEWAY_TOKEN } from "../../../test/support/gateway-token.ts";
import { loadExecutorConfig } from "../config.ts";
import { ask } from "./follow-up-fixture.ts";
import { NOW_MS } from "./executor-fixture.ts";
import { installWritePoints, type WritePoints } from "./write-points.ts";
import { RunFixture } from "./run-fixture.ts";
import { answerTurn } from "./scripted-turns.ts";

const YEAR_MS = 365 * 86_400_000;
const ALERT = "startsAt: 2026-12-25T07:41:12Z";
const HOLIDAYS = { holidays: [{ date: "12-25", name: "Christmas" }] };

const parseTimes = compileParser("times", Type.Array(Type.Object({ told: Type.String() })));

describe("the time that agents read", () => {
  const resources = new AsyncDisposableStack();
  let fixture: RunFixture;
  let loseLeaseAtWrite: WritePoints["kill"];

  before(async () => {
    fixture = resources.use(await RunFixture.start());
    ({ kill: loseLeaseAtWrite } = await installWritePoints(fixture.executor));
  });
  after(() => resources.disposeAsync());

  /** The lines about the time in the first messages of each agent, in the order in which they were stored. */
  const toldIn = async (id: string): Promise<string[]> => {
    const rows = await fixture.executor.query(
      `SELECT string_agg(line, E'\\n' ORDER BY place) AS told FROM messages m,
              string_to_table(m.content, E'\\n') WITH ORDINALITY AS l(line, place)
       WHERE session_id = $1 AND line ~ '^(Current time|Calendar context \\(UTC\\)|Staffing|Alert time): '
       GROUP BY m.message_id, m.sequence_number, m.created_at ORDER BY m.created_at`,
      [id],
    );
    return parseTimes(rows).map(({ told }) => told);
  };
  const runAt = async (id: string, nowMs: number) =>
    (await fixture.begin(id, HOLIDAYS, { now: () => nowMs })).end;

  it("is the executor's, with its holidays and the time of the alert", async () => {
    await fixture.play(answerTurn("native-thinking"));
    const id = await fixture.executor.insert({ strategy: "native-thinking", alert: ALERT });
    expect(await runAt(id, NOW_MS)).to.equal("completed");
    expect(await toldIn(id)).to.deep.equal([
      `Current time: 2026-12-25T08:00:00Z (Friday)
Calendar context (UTC): 2026-12-25 — Friday — GLOBAL_HOLIDAY (Christmas)
Staffing: reduced (humans less likely to review promptly). This authorises nothing.
Alert time: 2026-12-25T07:41:12Z (18 min before the current time)`,
    ]);
  });

  it("has the holidays of the configuration", async () => {
    const { holidays } = HOLIDAYS;
    const tarsy = { defaults: { llm_provider: "scripted" }, system: { holidays } };
    await using directory = await testConfigDirectory({ tarsy });
    const config = await loadExecutorConfig({
      CONFIG_DIR: directory.path,
      DATABASE_URL: "postgres://localhost/none",
      NATS_URL: "nats://localhost",
      LLM_GATEWAY_TOKEN: TEST_GATEWAY_TOKEN,
    });
    expect(config.holidays).to.deep.equal(holidays);
  });

  it("stays what it was, after whichever write the executor dies", async () => {
    await fixture.play(answerTurn("native-thinking"));
    let kept = 0;
    for (let [writes, end]: [number, unknown] = [1, "lost"]; end === "lost"; writes += STEP) {
      const id = await fixture.executor.insert({ strategy: "native-thinking" });
      await loseLeaseAtWrite(id, writes);
      end = await runAt(id, NOW_MS);
      const before = await toldIn(id);
      kept += before.length;
      if (end === "lost") {
        expect(await runAt(id, NOW_MS + YEAR_MS), `after write ${writes}`).to.equal("completed");
      }
      const after = await toldIn(id);
      expect(after).to.have.lengthOf(1);
      if (before.length > 0) expect(after, `after write ${writes}`).to.deep.equal(before);
      else expect(after[0], `after write ${writes}`).to.match(/^Current time: 2027-12-25/u);
    }
    expect(kept).to.be.greaterThan(1);
  });

  it("is that of the question in a chat", async () => {
    await fixture.play(answerTurn("native-thinking"));
    const id = await fixture.executor.insert({ strategy: "native-thinking" });
    await runAt(id, NOW_MS);
    await ask(fixture.executor, id);
    await runAt(id, NOW_MS + YEAR_MS);
    const years = (await toldIn(id)).map((told) => told.slice(0, "Current time: 2026".length));
    expect(years).to.deep.equal(["Current time: 2026", "Current time: 2027"]);
  });

  it("is that of the session before in a fork with recorded tools, and the present in one with live tools", async () => {
    await fixture.play(answerTurn("native-thinking"));
    const stages = [["One"], ["Two"]];
    const parent = await fixture.executor.insert({ stages });
    let minutes = 0;
    await (
      await fixture.begin(parent, {}, { now: () => NOW_MS + 60_000 * minutes++ })
    ).end;
    const fork = async (of: string, tools: "live" | "recorded"): Promise<string> => {
      const id = await fixture.executor.insert({ stages: [...stages, ["Three"]] });
      await fixture.executor.query(
        "UPDATE alert_sessions SET forked_from = $2, tools_mode = $3 WHERE session_id = $1",
        [id, of, tools],
      );
      return id;
    };
    const timesIn = async (id: string): Promise<string[]> => {
      await runAt(id, NOW_MS + YEAR_MS);
      return (await toldIn(id)).map((told) =>
        told.slice("Current time: ".length, "Current time: 2026-12-25T08:00".length),
      );
    };
    const told = await toldIn(parent);
    expect(told[0]).not.to.equal(told[1]);
    const [first = "", second = ""] = told.map((text) => /\d{4}-\S{8}:\d\d/u.exec(text)?.[0]);
    const recorded = await fork(parent, "recorded");
    expect(await timesIn(recorded)).to.deep.equal([first, second, first]);
    expect(await timesIn(await fork(recorded, "recorded"))).to.deep.equal([first, second, first]);
    const live = await timesIn(await fork(parent, "live"));
    expect(live).to.deep.equal(Array.from({ length: 3 }, () => "2027-12-25T08:00"));
    const before = await fixture.executor.insert();
    await fixture.executor.query(
      "UPDATE alert_sessions SET created_at = '2025-05-05T00:00:00Z' WHERE session_id = $1",
      [before],
    );
    expect((await timesIn(await fork(before, "recorded")))[0]).to.equal("2025-05-05T00:00");
  });
});
