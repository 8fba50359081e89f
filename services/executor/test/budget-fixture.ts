import { randomUUID } from "node:crypto";
import type { BudgetScope } from "#shared/contracts/budget.ts";
import type { BudgetRequest, BudgetRule } from "../persist/reserve-budget.ts";
import { until } from "../../../test/support/until.ts";
import type { ExecutorFixture } from "./executor-fixture.ts";

/** What an account says; amounts as numbers. */
interface Account {
  readonly scope: string;
  readonly key: string;
  readonly used_usd: number;
  readonly used_tokens: number;
  readonly used_calls: number;
  readonly reserved_usd: number;
  readonly reserved_tokens: number;
  readonly reserved_calls: number;
}

const ACCOUNTS = `
SELECT scope, key, used_usd::float8, used_tokens::int, used_calls::int, reserved_usd::float8, reserved_tokens::int, reserved_calls::int
FROM budget_accounts WHERE account LIKE $1 ORDER BY account`;

/** Sets and reads budgets as admins and the sweeper do. */
export class Budgets {
  readonly #executor: ExecutorFixture;

  constructor(executor: ExecutorFixture) {
    this.#executor = executor;
  }

  /** Sets the limits of a period of a day, or of a session. */
  async set(
    scope: BudgetScope,
    key: string,
    {
      usd,
      tokens,
      calls,
      softRatio = 1,
    }: { usd?: number; tokens?: number; calls?: number; softRatio?: number },
  ): Promise<void> {
    await this.#executor.query(
      `INSERT INTO budgets (scope, key, period, limit_usd, limit_tokens, limit_calls, soft_ratio, set_by)
       VALUES ($1, $2, CASE WHEN $1 = 'session' THEN 'session' ELSE 'day' END, $3, $4, $5, $6, 'test')
       ON CONFLICT (scope, key, period) DO UPDATE SET limit_usd = EXCLUDED.limit_usd, limit_tokens = EXCLUDED.limit_tokens,
         limit_calls = EXCLUDED.limit_calls, soft_ratio = EXCLUDED.soft_ratio`,
      [scope, key, usd ?? null, tokens ?? null, calls ?? null, softRatio],
    );
  }

  /** The same, once this executor knows of it. */
  async setKnown(...[scope, key, limits]: Parameters<Budgets["set"]>): Promise<void> {
    await this.set(scope, key, limits);
    const session = { chainId: "test-chain", teams: ["sre", "db"], budgets: null };
    const { budgets } = this.#executor.deps;
    await until("the budget is known", () =>
      budgets.rulesOf(session).some((rule) => rule.scope === scope && rule.key === key),
    );
  }

  /** Removes all budgets, accounts and reservations. */
  async clear(): Promise<void> {
    for (const table of ["budgets", "budget_accounts", "budget_reservations", "budget_ledger"]) {
      await this.#executor.query(`DELETE FROM ${table}`, []);
    }
    const session = { chainId: "test-chain", teams: ["sre", "db"], budgets: null };
    await until("no budget is known", () => this.#executor.deps.budgets.rulesOf(session).length === 0);
  }

  /** The accounts whose name begins so. */
  async accounts(prefix = ""): Promise<Account[]> {
    const rows: unknown[] = await this.#executor.query(ACCOUNTS, [`${prefix}%`]);
    return rows.map(asAccount);
  }

  /** Settles what was lost and folds what was settled, as the sweeper does. */
  async sweep(): Promise<void> {
    await this.#executor.query("SELECT tarsy_settle_lost_budgets(1000)", []);
    await this.#executor.query("SELECT tarsy_fold_budgets(1000)", []);
  }

  async reservations(): Promise<unknown[]> {
    return this.#executor.query(
      "SELECT kind, usd::float8, tokens::int FROM budget_reservations ORDER BY kind, usd",
      [],
    );
  }
}

function asAccount(row: unknown): Account {
  const number = (name: string) => Number(Reflect.get(Object(row), name));
  const text = (name: string) => String(Reflect.get(Object(row), name));
  return {
    scope: text("scope"),
    key: text("key"),
    used_usd: number("used_usd"),
    used_tokens: number("used_tokens"),
    used_calls: number("used_calls"),
    reserved_usd: number("reserved_usd"),
    reserved_tokens: number("reserved_tokens"),
    reserved_calls: number("reserved_calls"),
  };
}

/** A stored budget of a day, or of sessions. */
export function storedRule(scope: BudgetScope, key: string): BudgetRule {
  return { scope, key, period: scope === "session" ? "session" : "day", stored: true };
}

/** A request for one call of so many USD. */
export function callOf(
  usd: string,
  scopes: readonly BudgetRule[],
  others: Partial<Omit<BudgetRequest, "scopes">> = {},
): BudgetRequest {
  const reservation = { id: randomUUID(), execution_id: randomUUID(), usd, tokens: 100, calls: 1 };
  return { scopes, is_last: true, reservation, ...others };
}
