import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { Type } from "typebox";
import type { Role } from "#shared/access/identity.ts";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { until } from "../../../test/support/until.ts";
import { foldBudgets } from "../sweeper/fold-budgets.ts";
import { BudgetView, BudgetsResponse } from "../budgets/contract.ts";
import { UsageSummaryResponse } from "../usage/contract.ts";
import { ApiFixture, KEY_ACCESS } from "./api-fixture.ts";
import { seedSession } from "./seed-sessions.ts";

const parseAll = compileParser("budgets", BudgetsResponse);
const parseOne = compileParser("budget", BudgetView);
const parseUsage = compileParser("usage summary", UsageSummaryResponse);
const parseSession = compileParser(
  "session with budgets",
  Type.Object({ budgets: Type.Array(BudgetView) }, { additionalProperties: true }),
);
const parseError = compileParser(
  "error",
  Type.Object({ message: Type.String() }, { additionalProperties: true }),
);
const parseEntry = compileParser(
  "audit entry",
  Type.Object({ subject: Type.String(), result: Type.String(), detail: Type.Unknown() }),
);

const TARSY = {
  system: {
    cost_estimation: { model_rates: { priced: { input_per_million: 1, output_per_million: 2 } } },
  },
  defaults: { llm_provider: "scripted", alert_type: "test", budgets: { session: { calls: 50 } } },
  agents: { TestAgent: { mcp_servers: [] } },
  agent_chains: {
    "test-chain": {
      alert_types: ["test"],
      stages: [{ name: "look", agents: [{ name: "TestAgent" }] }],
      budgets: { day: { usd: 20, soft_ratio: 0.5 } },
    },
    cheap: {
      alert_types: ["cheap"],
      llm_provider: "unpriced",
      stages: [{ name: "look", agents: [{ name: "TestAgent" }] }],
    },
  },
};
const provider = (model: string) => ({ type: "scripted", model, script: "script.yaml" });
const config = {
  tarsy: TARSY,
  providers: { llm_providers: { scripted: provider("priced"), unpriced: provider("acme-7b") } },
};

describe("the routes of budgets", () => {
  let api: ApiFixture;
  let admin: Record<string, string>;

  before(async () => {
    api = await ApiFixture.start({ env: KEY_ACCESS, config });
    admin = await key("root", "admin");
  });
  after(() => api[Symbol.asyncDispose]());
  beforeEach(async () => {
    for (const table of ["budgets", "budget_accounts", "budget_reservations", "budget_ledger"]) {
      await api.servers.query(`DELETE FROM ${table}`, []);
    }
  });

  const key = async (subject: string, role: Role, teams: string[] = []) => ({
    ...(await api.keyOf(subject, [role], teams)),
    "content-type": "application/json",
  });
  const send = async (
    method: string,
    path: string,
    { headers = admin, body }: { headers?: Record<string, string>; body?: object } = {},
  ) =>
    api.raw(method, `/api/v1/${path}`, {
      headers,
      ...(body === undefined ? {} : { body: Buffer.from(JSON.stringify(body)) }),
    });
  const put = async (body: object) => send("PUT", "budgets", { body });
  const refusal = async (body: object) => {
    const { status, text } = await put(body);
    return `${status} ${parseError(JSON.parse(text)).message}`;
  };
  const list = async () => parseAll(JSON.parse((await send("GET", "budgets")).text)).budgets;
  /** An account of today, with 3 USD used, 1 reserved and half of that settled at 0.25, which is not added yet. */
  const use = async (scope: string, name: string) => {
    const id = randomUUID();
    const account = `${scope}:${new Date().toISOString().slice(0, 10)}:${name}`;
    await api.servers.query(
      `INSERT INTO budget_accounts (account, scope, key, period, used_usd, used_tokens, used_calls, reserved_usd, reserved_tokens, reserved_calls)
       VALUES ($1, $2, $3, 'day', 3, 300, 3, 1, 200, 2)`,
      [account, scope, name],
    );
    await api.servers.query(
      `INSERT INTO budget_reservations (reservation_id, kind, session_id, lease_epoch, accounts, usd, tokens, calls)
       VALUES ($1, 'call', $1, 1, ARRAY[$2], 0.5, 100, 1)`,
      [id, account],
    );
    await api.servers.query(
      "INSERT INTO budget_ledger (reservation_id, session_id, usd, tokens, calls) VALUES ($1, $1, 0.25, 50, 1)",
      [id],
    );
  };

  it("set, replace and delete a budget, and record who did", async () => {
    const { status, text } = await put({ scope: "team", key: "sre", limit_calls: 100, soft_ratio: 0.9 });
    expect(status, text).to.equal(200);
    expect(parseOne(JSON.parse(text))).to.deep.equal({
      scope: "team",
      key: "sre",
      period: "day",
      source: "api",
      soft_ratio: 0.9,
      amounts: [{ unit: "calls", limit: 100, used: 0, reserved: 0, remaining: 100 }],
    });
    await put({ scope: "team", key: "sre", limit_tokens: 5_000 });
    const ofTeams = (await list()).filter(({ scope }) => scope === "team");
    expect(ofTeams.map(({ amounts, soft_ratio, set_by }) => ({ amounts, soft_ratio, set_by }))).to.deep.equal(
      [
        {
          amounts: [{ unit: "tokens", limit: 5_000, used: 0, reserved: 0, remaining: 5_000 }],
          soft_ratio: 0.8,
          set_by: "root",
        },
      ],
    );
    expect((await send("DELETE", "budgets?scope=team&key=sre")).status).to.equal(204);
    expect((await send("DELETE", "budgets?scope=team&key=sre")).status).to.equal(404);
    const entries = await until("the audit log has all changes", async () => {
      const rows = await api.servers.query(
        "SELECT subject, result, detail FROM audit_log WHERE action = 'budget.change' ORDER BY id",
        [],
      );
      return rows.length >= 3 ? rows.map((row) => parseEntry(row)) : undefined;
    });
    expect(entries[0]).to.deep.equal({
      subject: "root",
      result: "allowed",
      detail: { scope: "team", key: "sre", period: "day", limit_calls: 100, soft_ratio: 0.9 },
    });
  });

  it("show those of the files, too, with what is used and not yet added", async () => {
    await use("chain", "test-chain");
    expect(await list()).to.deep.equal([
      {
        scope: "chain",
        key: "test-chain",
        period: "day",
        source: "file",
        soft_ratio: 0.5,
        amounts: [{ unit: "usd", limit: 20, used: 3.25, reserved: 0.5, remaining: 16.25 }],
      },
      {
        scope: "session",
        key: "*",
        period: "session",
        source: "file",
        soft_ratio: 0.8,
        amounts: [{ unit: "calls", limit: 50 }],
      },
    ]);
  });

  it("name what is wrong, and change nothing", async () => {
    const nothing = "request body must have limit_usd, limit_tokens or limit_calls";
    expect(await refusal({ scope: "day" })).to.equal(`400 ${nothing}`);
    expect(await refusal({ scope: "week", limit_calls: 1 })).to.contain(
      "400 validation error on field 'scope'",
    );
    expect(await refusal({ scope: "day", key: "x", limit_calls: 1 })).to.contain("field 'key'");
    expect(await refusal({ scope: "team", limit_calls: 1 })).to.contain(
      "field 'key': is required for scope team",
    );
    expect(await refusal({ scope: "chain", key: "none", limit_calls: 1 })).to.contain(
      "must be a chain, got 'none'",
    );
    expect(await refusal({ scope: "session", period: "day", limit_calls: 1 })).to.contain("field 'period'");
    expect(await refusal({ scope: "team", key: "a", period: "session", limit_calls: 1 })).to.contain(
      "day or month",
    );
    expect(await refusal({ scope: "day", limit_usd: 0.1234567 })).to.contain("at most six decimals");
    expect(await refusal({ scope: "day", limit_calls: 0 })).to.contain("field 'limit_calls'");
    expect((await list()).every(({ source }) => source === "file")).to.equal(true);
  });

  it("refuse a limit in USD where a model that can be called has no price", async () => {
    const unpriced =
      "422 limit_usd cannot hold: no price is known for unpriced (model acme-7b): add each model to system.cost_estimation.model_rates";
    expect(await refusal({ scope: "day", limit_usd: 5 })).to.equal(unpriced);
    expect(await refusal({ scope: "chain", key: "cheap", limit_usd: 5 })).to.equal(unpriced);
    expect((await put({ scope: "chain", key: "test-chain", period: "month", limit_usd: 5 })).status).to.equal(
      200,
    );
    expect((await put({ scope: "day", limit_tokens: 5 })).status).to.equal(200);
  });

  it("are for operators to read and for admins to change", async () => {
    const submitter = await key("sam", "submitter");
    const operator = await key("olga", "operator");
    expect((await send("GET", "budgets", { headers: submitter })).status).to.equal(403);
    expect((await send("GET", "budgets", { headers: operator })).status).to.equal(200);
    const body = { scope: "day", limit_calls: 1 };
    expect((await send("PUT", "budgets", { headers: operator, body })).status).to.equal(403);
    expect((await send("DELETE", "budgets?scope=day", { headers: operator })).status).to.equal(403);
  });

  it("get what was lost and settled from the sweeper, which also says how much is used", async () => {
    await put({ scope: "day", limit_usd: 5 }).then(({ status }) => expect(status).to.equal(422));
    await put({ scope: "day", limit_calls: 10 });
    await use("day", "*");
    const stop = new AbortController();
    const { log, metrics, config: settings } = api.deps;
    const folding = foldBudgets({ db: api.deps.db, log, metrics, agents: settings.agents }, stop.signal);
    const left = await until("nothing is to be swept", async () => {
      const rows = await api.servers.query(
        "SELECT FROM budget_reservations UNION ALL SELECT FROM budget_ledger",
        [],
      );
      return rows.length === 0;
    });
    stop.abort();
    await folding;
    expect(left).to.equal(true);
    const [account] = await api.servers.query(
      "SELECT used_usd::float8, used_calls::int, reserved_usd::float8 FROM budget_accounts",
      [],
    );
    // 0.5 USD that other calls have reserved stay.
    expect(account).to.deep.equal({ used_usd: 3.25, used_calls: 4, reserved_usd: 0.5 });
    expect((await metrics.budgetUsedRatio.get()).values[0]?.value).to.equal(0.4);
  });

  it("show each caller the use of what it may know, in a session and in the usage", async () => {
    const id = await seedSession(api.db, { chain: "test-chain", teams: ["sre"] });
    await api.servers.query(
      `INSERT INTO budget_accounts (account, scope, key, period, session_id, used_calls) VALUES ($1, 'session', '*', 'session', $2, 7)`,
      [`session:${id}:*`, id],
    );
    await put({ scope: "session", limit_calls: 10 });
    await put({ scope: "team", key: "sre", limit_usd: 9 }).then(({ status }) => expect(status).to.equal(422));
    await put({ scope: "team", key: "sre", limit_calls: 9 });
    await put({ scope: "team", key: "db", limit_calls: 9 });
    await put({ scope: "day", limit_calls: 100 });
    const shown = async (headers: Record<string, string>) => {
      const session = parseSession(JSON.parse((await send("GET", `sessions/${id}`, { headers })).text));
      const window = "start_date=2026-03-01T00:00:00Z&end_date=2026-04-01T00:00:00Z";
      const usage = parseUsage(JSON.parse((await send("GET", `usage/summary?${window}`, { headers })).text));
      const names = (budgets: readonly BudgetView[]) => budgets.map(({ scope, key: of }) => `${scope} ${of}`);
      return { session: names(session.budgets), usage: names(usage.budgets), own: session.budgets };
    };
    const mate = await shown(await key("mate", "viewer", ["sre"]));
    expect(mate.session).to.deep.equal(["session *", "team sre"]);
    expect(mate.usage).to.deep.equal(["team sre"]);
    expect(mate.own[0]?.amounts).to.deep.equal([
      { unit: "calls", limit: 10, used: 7, reserved: 0, remaining: 3 },
    ]);
    const all = await shown(await key("olga", "operator"));
    expect(all.session).to.deep.equal(["day *", "session *", "team sre"]);
    expect(all.usage).to.deep.equal(["chain test-chain", "day *", "team db", "team sre"]);
  });
});
