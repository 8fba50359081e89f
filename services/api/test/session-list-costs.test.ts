import { expect } from "chai";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { SessionListResponse } from "../sessions/list-schemas.ts";
import { ApiFixture } from "./api-fixture.ts";
import { seedSession } from "./seed-sessions.ts";

const parseList = compileParser("list", SessionListResponse);

describe("costs in the list of sessions", () => {
  let api: ApiFixture;

  before(async () => {
    api = await ApiFixture.start();
  });
  after(() => api[Symbol.asyncDispose]());
  beforeEach(async () => {
    await api.servers.query("DELETE FROM alert_sessions", []);
  });

  const list = async (from: ApiFixture) =>
    parseList(JSON.parse((await from.raw("GET", "/api/v1/sessions?sort_order=asc")).text));

  it("are those of the session's calls, with how complete they are", async () => {
    const priced = { input: 10, output: 5, usd: "0.250000000001" };
    const unpriced = { input: 7, output: 1 };
    await seedSession(api.db, { age: 4, usage: { a: priced } });
    await seedSession(api.db, {
      age: 3,
      usage: { a: priced, b: unpriced, c: { ...priced, usd: "1" } },
    });
    await seedSession(api.db, { age: 2, usage: { b: unpriced } });
    await seedSession(api.db, { age: 1 });
    const { sessions, cost_estimation_enabled } = await list(api);
    expect(cost_estimation_enabled).to.equal(true);
    const costs = sessions.map((item) => [item.estimated_cost_usd, item.cost_completeness]);
    expect(costs).to.deep.equal([
      [0.250000000001, "complete"],
      [1.250000000001, "partial"],
      [undefined, "none"],
      [undefined, "none"],
    ]);
    expect(sessions.map(({ total_tokens }) => total_tokens)).to.deep.equal([15, 38, 8, 0]);
  });

  it("are left out while their estimation is off", async () => {
    await using off = await ApiFixture.start({
      servers: api.servers,
      config: { tarsy: { system: { cost_estimation: { enabled: false } } } },
    });
    const id = await seedSession(api.db, { usage: { a: { input: 1, output: 1, usd: "1" } } });
    const { sessions, cost_estimation_enabled } = await list(off);
    expect(cost_estimation_enabled).to.equal(false);
    expect(sessions.map((item) => item.id)).to.deep.equal([id]);
    expect(sessions[0]).to.not.have.any.keys("estimated_cost_usd", "cost_completeness");
  });
});
