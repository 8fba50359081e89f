import { expect } from "chai";
import { Type } from "typebox";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { UsageSummaryResponse } from "../usage/contract.ts";
import { ApiFixture, KEY_ACCESS } from "./api-fixture.ts";
import { seedSession, type SeededSession } from "./seed-sessions.ts";

const parseSummary = compileParser("usage summary", UsageSummaryResponse);
const parseError = compileParser(
  "error",
  Type.Object({ message: Type.String(), allowed: Type.Optional(Type.Array(Type.String())) }),
);

const WINDOW = "start_date=2026-03-01T00:00:00Z&end_date=2026-04-01T00:00:00Z";
const NOON = "2026-03-10T12:00:00.000Z";
const PRICED = { input: 1_000, output: 200, usd: "0.100000000001" };

describe("the summary of the usage", () => {
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

  const seed = async (session: SeededSession = {}) => seedSession(api.db, { createdAt: NOON, ...session });
  const get = async (query: string, headers = admin, from = api) => {
    const { status, text } = await from.raw("GET", `/api/v1/usage/summary?${query}`, { headers });
    const body: unknown = JSON.parse(text);
    return { status, text, body };
  };
  const summary = async (query = WINDOW, headers = admin, from = api) => {
    const { status, text, body } = await get(query, headers, from);
    expect(status, text).to.equal(200);
    return parseSummary(body);
  };
  const count = async (query = WINDOW, headers = admin) =>
    (await summary(query, headers)).totals.session_count;

  it("has zeros and empty lists where there was no session", async () => {
    await seed({ createdAt: "2026-02-01T00:00:00Z", usage: { a: PRICED } });
    expect(await summary()).to.deep.equal({
      cost_estimation_enabled: true,
      window: { start: "2026-03-01T00:00:00.000Z", end: "2026-04-01T00:00:00.000Z" },
      rank_by: "cost",
      totals: {
        session_count: 0,
        input_tokens: 0,
        output_tokens: 0,
        total_tokens: 0,
        cost_completeness: "none",
        unpriced_interaction_count: 0,
        unpriced_token_count: 0,
      },
      by_model: [],
      by_alert_type: [],
      by_chain: [],
      budgets: [],
      top_sessions: [],
    });
  });

  it("adds up exactly, unpriced models apart", async () => {
    const usage = { a: PRICED, b: { input: 50_000, output: 1_000, calls: 3 } };
    const both = await seed({ alertType: "x", chain: "one", usage });
    const dear = await seed({ alertType: "y", chain: "two", usage: { a: { ...PRICED, usd: "0.2" } } });
    const free = await seed({ alertType: null, chain: "two", usage: { b: { input: 7, output: 1 } } });
    expect(await summary()).to.deep.equal({
      cost_estimation_enabled: true,
      window: { start: "2026-03-01T00:00:00.000Z", end: "2026-04-01T00:00:00.000Z" },
      rank_by: "cost",
      totals: {
        session_count: 3,
        input_tokens: 52_007,
        output_tokens: 1_401,
        total_tokens: 53_408,
        estimated_cost_usd: 0.300000000001,
        average_cost_usd: 0.1,
        cost_completeness: "partial",
        unpriced_interaction_count: 4,
        unpriced_token_count: 51_008,
      },
      by_model: [
        {
          model_name: "a",
          session_count: 2,
          input_tokens: 2_000,
          output_tokens: 400,
          total_tokens: 2_400,
          estimated_cost_usd: 0.300000000001,
          average_cost_usd: 0.150000000001,
          priced: true,
          unpriced_interaction_count: 0,
        },
        {
          model_name: "b",
          session_count: 2,
          input_tokens: 50_007,
          output_tokens: 1_001,
          total_tokens: 51_008,
          priced: false,
          unpriced_interaction_count: 4,
        },
      ],
      by_alert_type: [
        cost("alert_type", "y", 1, 1_200, 0.2, 0.2),
        cost("alert_type", "x", 1, 52_200, 0.100000000001, 0.100000000001),
        { alert_type: "", session_count: 1, total_tokens: 8 },
      ],
      by_chain: [
        cost("chain_id", "two", 2, 1_208, 0.2, 0.1),
        cost("chain_id", "one", 1, 52_200, 0.100000000001, 0.100000000001),
      ],
      budgets: [],
      top_sessions: [
        {
          created_at: NOON,
          session_id: dear,
          alert_type: "y",
          chain_id: "two",
          alert_preview: "disk full",
          total_tokens: 1_200,
          estimated_cost_usd: 0.2,
          cost_completeness: "complete",
        },
        {
          created_at: NOON,
          session_id: both,
          alert_type: "x",
          chain_id: "one",
          alert_preview: "disk full",
          total_tokens: 52_200,
          estimated_cost_usd: 0.100000000001,
          cost_completeness: "partial",
        },
        {
          created_at: NOON,
          session_id: free,
          alert_type: null,
          chain_id: "two",
          alert_preview: "disk full",
          total_tokens: 8,
          cost_completeness: "none",
        },
      ],
    });
    const byTokens = await summary(`${WINDOW}&rank_by=tokens`);
    expect(byTokens.rank_by).to.equal("tokens");
    expect(byTokens.by_model.map((group) => group.model_name)).to.deep.equal(["b", "a"]);
    expect(byTokens.by_chain.map((group) => group.chain_id)).to.deep.equal(["one", "two"]);
    expect(byTokens.top_sessions.map((top) => top.session_id)).to.deep.equal([both, dear, free]);
    expect((await summary(`${WINDOW}&chain_id=two`)).totals).to.include({ session_count: 2 });
    expect((await summary(`${WINDOW}&alert_type=x&chain_id=two`)).totals).to.include({ session_count: 0 });
  });

  it("lists at most 20 sessions", async () => {
    for (let n = 1; n <= 22; n += 1) await seed({ usage: { b: { input: n, output: 0 } } });
    const { totals, top_sessions } = await summary();
    expect(totals.session_count).to.equal(22);
    expect(top_sessions.map(({ total_tokens }) => total_tokens)).to.deep.equal(
      Array.from({ length: 20 }, (_, index) => 22 - index),
    );
  });

  it("begins with the first moment and ends before the last one, whatever the offset", async () => {
    await seed({ createdAt: "2026-02-28T23:59:59.999999Z" });
    await seed({ createdAt: "2026-03-01T00:00:00Z" });
    await seed({ createdAt: "2026-03-31T23:59:59.999999Z" });
    await seed({ createdAt: "2026-04-01T00:00:00Z" });
    expect(await count()).to.equal(2);
    const elsewhere = "start_date=2026-03-01T02:00:00%2B02:00&end_date=2026-03-31t22:00:00-02:00";
    expect(await count(elsewhere)).to.equal(2);
    expect((await summary(elsewhere)).window).to.deep.equal({
      start: "2026-03-01T00:00:00.000Z",
      end: "2026-04-01T00:00:00.000Z",
    });
    expect(await count("start_date=2026-03-01T00:00:00Z&end_date=2027-03-01T00:00:00Z")).to.equal(3);
  });

  it("knows only what the caller may see, and nothing that was deleted", async () => {
    const usage = { a: PRICED };
    await seed({ owner: "key:ann", alertType: "a", usage });
    await seed({ owner: "key:bob", teams: ["platform"], alertType: "b", usage });
    await seed({ owner: "key:bob", alertType: "c", chain: "secret", usage: { secret: PRICED } });
    await seed({ owner: "key:ann", deleted: true, usage: { gone: PRICED } });
    const ann = await summary(WINDOW, await api.keyOf("ann", ["viewer"], ["platform"]));
    expect(ann.totals).to.include({
      session_count: 2,
      total_tokens: 2_400,
      estimated_cost_usd: 0.200000000002,
    });
    expect(ann.by_model.map((group) => group.model_name)).to.deep.equal(["a"]);
    expect(ann.by_alert_type.map((group) => group.alert_type)).to.deep.equal(["a", "b"]);
    expect(ann.by_chain.map((group) => group.chain_id)).to.deep.equal(["test-chain"]);
    expect(ann.top_sessions).to.have.length(2);
    expect(await count(WINDOW, await api.keyOf("eve", ["submitter"]))).to.equal(0);
    const olga = await summary(WINDOW, await api.keyOf("olga", ["operator"]));
    expect(olga.totals.session_count).to.equal(3);
    expect(olga.by_model.map((group) => group.model_name)).to.deep.equal(["a", "secret"]);
    expect((await get(WINDOW, {})).status).to.equal(401);
  });

  it("has no costs while their estimation is off, and does not rank by them", async () => {
    await using off = await ApiFixture.start({
      servers: api.servers,
      config: { tarsy: { system: { cost_estimation: { enabled: false } } } },
    });
    await seed({ usage: { a: PRICED } });
    const { text } = await get(WINDOW, {}, off);
    expect(text).to.not.match(/usd|priced|completeness/u);
    expect(await summary(WINDOW, {}, off)).to.deep.include({
      cost_estimation_enabled: false,
      rank_by: "tokens",
    });
    expect((await summary(`${WINDOW}&rank_by=tokens`, {}, off)).totals.total_tokens).to.equal(1_200);
    const refused = await get(`${WINDOW}&rank_by=cost`, {}, off);
    expect(refused.status).to.equal(400);
    expect(parseError(refused.body)).to.deep.include({ allowed: ["tokens"] });
    expect(refused.text).to.include("'rank_by'");
  });

  it("refuses what it does not understand, and names the field", async () => {
    const [start, end] = WINDOW.split("&");
    const refused: Record<string, string> = {
      "": "start_date",
      [String(end)]: "start_date",
      [String(start)]: "end_date",
      [`${start}&end_date=`]: "end_date",
      [`start_date=2026-03-01&${end}`]: "start_date",
      [`${start}&${start}&${end}`]: "start_date",
      [`${start}&end_date=2026-03-01T00:00:00Z`]: "end_date",
      [`${start}&end_date=2026-02-01T00:00:00Z`]: "end_date",
      [`${start}&end_date=2027-03-01T00:00:00.001Z`]: "end_date",
      [`${WINDOW}&rank_by=price`]: "rank_by",
      [`${WINDOW}&alert_type=a&alert_type=b`]: "alert_type",
      [`${WINDOW}&chain_id=a&chain_id=b`]: "chain_id",
    };
    for (const [query, field] of Object.entries(refused)) {
      const { status, body } = await get(query);
      expect(status, query).to.equal(400);
      expect(parseError(body).message, query).to.include(`'${field}'`);
    }
  });
});

function cost(
  key: "alert_type" | "chain_id",
  name: string,
  session_count: number,
  total_tokens: number,
  estimated_cost_usd: number,
  average_cost_usd: number,
) {
  return { [key]: name, session_count, total_tokens, estimated_cost_usd, average_cost_usd };
}
