import { expect } from "chai";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { DailyUsageResponse } from "../usage/contract.ts";
import { ApiFixture, KEY_ACCESS } from "./api-fixture.ts";
import { seedSession, type SeededSession } from "./seed-sessions.ts";

const parseDays = compileParser("daily usage", DailyUsageResponse);

const WINDOW = "start_date=2026-03-01T00:00:00Z&end_date=2026-04-01T00:00:00Z";
const NONE = { completed: 0, failed: 0, timed_out: 0, cancelled: 0, unfinished: 0 };
const priced = (usd: string) => ({ input: 1_000, output: 200, usd });

describe("the usage of each day", () => {
  let api: ApiFixture;
  let admin: Record<string, string>;

  before(async () => {
    api = await ApiFixture.start({ env: KEY_ACCESS });
    admin = await api.keyOf("root", ["admin"]);
  });
  after(() => api[Symbol.asyncDispose]());
  beforeEach(async () => {
    await api.servers.query("DELETE FROM alert_sessions", []);
  });

  const seed = async (day: string, session: SeededSession = {}) =>
    seedSession(api.db, { createdAt: `2026-03-${day}Z`, ...session });
  const days = async (query = "", headers = admin, from = api) => {
    const { status, text } = await from.raw("GET", `/api/v1/usage/days?${WINDOW}${query}`, { headers });
    expect(status, text).to.equal(200);
    const body: unknown = JSON.parse(text);
    return parseDays(body);
  };

  it("has no days where there was no session", async () => {
    expect(await days()).to.deep.equal({
      cost_estimation_enabled: true,
      window: { start: "2026-03-01T00:00:00.000Z", end: "2026-04-01T00:00:00.000Z" },
      rank_by: "cost",
      by: "alert_type",
      groups: [],
      days: [],
    });
  });

  it("counts a session on the day of its creation in UTC, with its outcome, duration and cost", async () => {
    await seed("10T00:00:00", { alertType: "disk", usage: { a: priced("0.1") }, duration: 10 });
    await seed("10T23:59:59.999", {
      alertType: "disk",
      status: "failed",
      duration: 30,
      usage: { a: priced("0.2") },
    });
    await seed("11T00:00:00", {
      alertType: null,
      status: "in_progress",
      usage: { b: { input: 7, output: 1 } },
    });
    await seed("11T12:00:00", { alertType: "disk", status: "timed_out", duration: null });
    const { groups, days: found } = await days();
    expect(groups).to.deep.equal(["disk", ""]);
    expect(found).to.deep.equal([
      {
        day: "2026-03-10",
        session_count: 2,
        outcomes: { ...NONE, completed: 1, failed: 1 },
        duration_ms: { median: 10_000, p95: 30_000 },
        input_tokens: 2_000,
        output_tokens: 400,
        total_tokens: 2_400,
        estimated_cost_usd: 0.3,
        cost_completeness: "complete",
        unpriced_interaction_count: 0,
        groups: [{ name: "disk", session_count: 2, total_tokens: 2_400, estimated_cost_usd: 0.3 }],
      },
      {
        day: "2026-03-11",
        session_count: 2,
        outcomes: { ...NONE, timed_out: 1, unfinished: 1 },
        duration_ms: null,
        input_tokens: 7,
        output_tokens: 1,
        total_tokens: 8,
        cost_completeness: "none",
        unpriced_interaction_count: 1,
        groups: [
          { name: "disk", session_count: 1, total_tokens: 0 },
          { name: "", session_count: 1, total_tokens: 8 },
        ],
      },
    ]);
  });

  it("names the six largest groups and adds up the rest, each session once", async () => {
    const models = Object.fromEntries(
      Array.from({ length: 8 }, (_, index) => [`m${index}`, priced(`0.${9 - index}`)]),
    );
    await seed("10T12:00:00", { usage: models });
    const { by, groups, days: found } = await days("&by=model");
    expect(by).to.equal("model");
    expect(groups).to.deep.equal(["m0", "m1", "m2", "m3", "m4", "m5"]);
    expect(found[0]?.groups.map(({ name }) => name)).to.deep.equal([...groups, null]);
    expect(found[0]?.groups.at(-1)).to.deep.equal({
      name: null,
      session_count: 1,
      total_tokens: 2_400,
      estimated_cost_usd: 0.5,
    });
    expect(found[0]?.session_count).to.equal(1);
  });

  it("groups by chain and filters as the summary does", async () => {
    await seed("10T12:00:00", { alertType: "x", chain: "one", usage: { a: priced("0.1") } });
    await seed("10T12:00:00", { alertType: "y", chain: "two", usage: { a: priced("0.2") } });
    expect((await days("&by=chain")).groups).to.deep.equal(["two", "one"]);
    expect((await days("&by=chain&alert_type=x")).groups).to.deep.equal(["one"]);
    expect((await days("&chain_id=two")).days[0]?.session_count).to.equal(1);
    const { status, text } = await api.raw("GET", `/api/v1/usage/days?${WINDOW}&by=author`, {
      headers: admin,
    });
    expect(status).to.equal(400);
    expect(text).to.include("'by'");
  });

  it("has only the sessions that the caller may see, and not the erased ones", async () => {
    await seed("10T12:00:00", { owner: "key:ann" });
    await seed("10T12:00:00", { owner: "key:bob" });
    await seed("10T12:00:00", { owner: "key:ann", deleted: true });
    const ann = await days("", await api.keyOf("ann", ["submitter"]));
    expect(ann.days.map(({ session_count }) => session_count)).to.deep.equal([1]);
    expect((await days()).days[0]?.session_count).to.equal(2);
  });

  it("has no costs while their estimation is off", async () => {
    await using off = await ApiFixture.start({
      servers: api.servers,
      config: { tarsy: { system: { cost_estimation: { enabled: false } } } },
    });
    await seed("10T12:00:00", { usage: { a: priced("0.1") } });
    const found = await days("", {}, off);
    expect(found.rank_by).to.equal("tokens");
    expect(JSON.stringify(found)).to.not.match(/usd|priced|completeness/u);
  });
});
