import { expect } from "chai";
import { pino } from "pino";
import { openDatabase } from "#shared/database/connection/open-database.ts";
import type { OwnedSession } from "../core/owned-session.ts";
import { commitReserving, commitStep } from "../persist/commit-step.ts";
import { releaseSession } from "../persist/release-session.ts";
import type { BudgetRule } from "../persist/reserve-budget.ts";
import { stepStatement } from "../persist/step-statement.ts";
import { tableRows } from "../persist/table-rows.ts";
import { Budgets, callOf, storedRule } from "./budget-fixture.ts";
import { ExecutorFixture } from "./executor-fixture.ts";

const DAY = [storedRule("day", "*")];
const WORKERS = 20;

describe("a reservation in the accounts of budgets", () => {
  let executor: ExecutorFixture;
  let budgets: Budgets;

  before(async () => {
    executor = await ExecutorFixture.start();
    budgets = new Budgets(executor);
  });
  after(() => executor[Symbol.asyncDispose]());
  beforeEach(() => budgets.clear());

  const settle = async (session: OwnedSession, reservation_id: string, usd: string) => {
    const budgetSettlements = [{ reservation_id, usd, tokens: 40, calls: 1 }];
    await commitStep(session, [{ rows: { budgetSettlements }, events: [] }]);
  };

  /** Sessions on a pool with a connection for each. */
  const workers = async (resources: AsyncDisposableStack): Promise<OwnedSession[]> => {
    const { signal } = new AbortController();
    const url = executor.servers.postgres.serviceUrls.executor;
    const log = pino({ level: "silent" });
    const db = resources.use(
      await openDatabase({ url, log, signal, applicationName: "workers", poolSize: WORKERS }),
    );
    const deps = { ...executor.deps, db };
    return Promise.all(
      Array.from({ length: WORKERS }, async () =>
        resources.use(await executor.own(await executor.insert(), deps)),
      ),
    );
  };

  it("adds nothing to the statement of a step where no budget is set", () => {
    expect(stepStatement(tableRows([])).sql).not.to.contain("budget");
    expect(stepStatement(tableRows([]), true).sql).to.contain("tarsy_reserve_budget");
  });

  it("grants calls up to the limit and not one more, however many ask at the same time", async () => {
    await using resources = new AsyncDisposableStack();
    await budgets.set("day", "*", { usd: 1 });
    const sessions = await workers(resources);
    let granted = 0;
    const seen: number[] = [];
    await Promise.all(
      sessions.map(async (session) => {
        for (;;) {
          const request = callOf("0.013", DAY);
          const { verdict } = await commitReserving(session, [], request);
          if (verdict !== "granted") return;
          granted += 1;
          const [account] = await budgets.accounts();
          seen.push((account?.used_usd ?? 0) + (account?.reserved_usd ?? 0));
          await settle(session, request.reservation.id, "0.013");
          await budgets.sweep();
        }
      }),
    );
    // 76 × 0.013 = 0.988
    expect(granted).to.equal(76);
    expect(Math.max(...seen)).to.be.at.most(1);
    await budgets.sweep();
    expect(await budgets.accounts()).to.deep.equal([
      {
        scope: "day",
        key: "*",
        used_usd: 0.988,
        used_tokens: 76 * 40,
        used_calls: 76,
        reserved_usd: 0,
        reserved_tokens: 0,
        reserved_calls: 0,
      },
    ]);
    expect(await budgets.reservations()).to.deep.equal([]);
  });

  it("never waits in a circle, in whatever order the budgets are named", async () => {
    await using resources = new AsyncDisposableStack();
    const keys = [
      ["chain", "test-chain"],
      ["day", "*"],
      ["session", "*"],
      ["team", "db"],
      ["team", "sre"],
    ] as const;
    for (const [scope, key] of keys) await budgets.set(scope, key, { calls: 100_000 });
    const rules: readonly BudgetRule[] = keys.map(([scope, key]) => storedRule(scope, key));
    const sessions = await workers(resources);
    const stop = new AbortController();
    const sweeping = Promise.all(
      [1, 2].map(async () => {
        while (!stop.signal.aborted) await budgets.sweep();
      }),
    );
    await Promise.all(
      sessions.map(async (session, worker) => {
        for (let round = 0; round < 10; round += 1) {
          const turned = rules.map((_rule, index) => rules[(index * 3 + worker + round) % rules.length]);
          const request = callOf(
            "0",
            turned.flatMap((rule) => rule ?? []),
          );
          const { verdict } = await commitReserving(session, [], request);
          expect(verdict).to.equal("granted");
          await settle(session, request.reservation.id, "0");
        }
      }),
    );
    stop.abort();
    await sweeping;
    await budgets.sweep();
    const shared = (await budgets.accounts()).filter(({ scope }) => scope !== "session");
    expect(shared.map(({ used_calls }) => used_calls)).to.deep.equal([200, 200, 200, 200]);
    expect(shared.map(({ reserved_calls }) => reserved_calls)).to.deep.equal([0, 0, 0, 0]);
  });

  it("reserves in all budgets or in none, and says which one refuses", async () => {
    await budgets.set("day", "*", { usd: 1 });
    await budgets.set("team", "sre", { calls: 1 });
    await using session = await executor.own(await executor.insert());
    const rules = [...DAY, storedRule("team", "sre")];
    expect((await commitReserving(session, [], callOf("0.1", rules))).verdict).to.equal("granted");
    const refused = await commitReserving(session, [], callOf("0.1", rules));
    expect(refused).to.deep.equal({
      verdict: "refused",
      may_pass: true,
      cause: { scope: "team", key: "sre", period: "day", dimension: "calls", limit: 1, used: 0, reserved: 1 },
      kept_tokens: 0,
    });
    const [day] = await budgets.accounts("day");
    expect(day?.reserved_usd).to.equal(0.1);
  });

  it("counts a lost call in full once its owner is gone, and one of a live owner never", async () => {
    await budgets.set("day", "*", { usd: 1 });
    const id = await executor.insert();
    await using lost = await executor.own(id);
    const first = callOf("0.25", DAY);
    await commitReserving(lost, [], first);
    await executor.expireLease(id);
    await budgets.sweep();
    expect((await budgets.accounts())[0]).to.include({ used_usd: 0, reserved_usd: 0.25 });
    await using taker = await executor.own(id);
    const second = callOf("0.5", DAY);
    await commitReserving(taker, [], second);
    await budgets.sweep();
    await budgets.sweep();
    expect((await budgets.accounts())[0]).to.include({ used_usd: 0.25, reserved_usd: 0.5 });
    // The fence refuses what the first owner would settle.
    await settle(lost, first.reservation.id, "0.01").catch(() => undefined);
    await settle(taker, second.reservation.id, "0.125");
    await settle(taker, second.reservation.id, "0.125");
    await budgets.sweep();
    expect((await budgets.accounts())[0]).to.include({ used_usd: 0.375, reserved_usd: 0, used_calls: 2 });
  });

  it("counts a call whose owner gave its lease back", async () => {
    await budgets.set("day", "*", { usd: 1 });
    await using session = await executor.own(await executor.insert());
    await commitReserving(session, [], callOf("0.25", DAY));
    await releaseSession(session, { kind: "handover" });
    await budgets.sweep();
    expect((await budgets.accounts())[0]).to.include({ used_usd: 0.25, reserved_usd: 0 });
  });

  it("keeps back what a conclusion needs, and gives the conclusion just that where there is no other room", async () => {
    await budgets.set("day", "*", { usd: 1 });
    await using session = await executor.own(await executor.insert());
    const conclusion = { id: crypto.randomUUID(), usd: "0.3", tokens: 300, calls: 1 };
    const going = { is_last: false, conclusion };
    const first = callOf("0.4", DAY, going);
    expect((await commitReserving(session, [], first)).verdict).to.equal("granted");
    await settle(session, first.reservation.id, "0.4");
    // 0.4 used and 0.3 kept: another 0.4 does not fit.
    const refused = await commitReserving(session, [], callOf("0.4", DAY, going));
    expect(refused).to.include({ verdict: "refused", kept_tokens: 300 });
    const none = { id: conclusion.id, usd: "0", tokens: 0, calls: 0 };
    const large = await commitReserving(session, [], callOf("0.7", DAY, { conclusion: none }));
    expect(large.verdict).to.equal("refused");
    // Even where the limit was lowered since.
    await budgets.set("day", "*", { usd: 0.5 });
    const last = callOf("0.3", DAY, { conclusion: none });
    expect((await commitReserving(session, [], last)).verdict).to.equal("granted");
    expect(await budgets.reservations()).to.deep.equal([{ kind: "call", usd: 0.3, tokens: 100 }]);
    expect((await budgets.accounts())[0]).to.include({ used_usd: 0.4, reserved_usd: 0.3 });
  });

  it("stops calls that are not the last at the soft limit", async () => {
    await budgets.set("day", "*", { usd: 1, softRatio: 0.5 });
    await using session = await executor.own(await executor.insert());
    const first = callOf("0.5", DAY);
    await commitReserving(session, [], first);
    await settle(session, first.reservation.id, "0.5");
    const soft = await commitReserving(session, [], callOf("0.1", DAY, { is_last: false }));
    expect(soft.verdict).to.equal("soft");
    expect(soft.cause).to.include({ scope: "day", dimension: "usd", limit: 1, used: 0.5 });
    expect((await commitReserving(session, [], callOf("0.1", DAY))).verdict).to.equal("granted");
  });

  it("refuses a call without a price where USD are limited, and no other", async () => {
    await using session = await executor.own(await executor.insert());
    const unpriced = () => {
      const request = callOf("0", DAY);
      return { ...request, reservation: { ...request.reservation, usd: null } };
    };
    await budgets.set("day", "*", { calls: 2 });
    expect((await commitReserving(session, [], unpriced())).verdict).to.equal("granted");
    await budgets.set("day", "*", { calls: 2, usd: 1 });
    expect((await commitReserving(session, [], unpriced())).verdict).to.equal("unpriced");
  });

  it("reserves nothing for a budget that was deleted, and nothing for an owner that lost its lease", async () => {
    const id = await executor.insert();
    await using lost = await executor.own(id);
    expect((await commitReserving(lost, [], callOf("9", DAY))).verdict).to.equal("unlimited");
    await budgets.set("day", "*", { usd: 1 });
    await executor.expireLease(id);
    await using _taker = await executor.own(id);
    const late = await commitReserving(lost, [], callOf("0.1", DAY)).then(
      () => "reserved",
      () => "refused",
    );
    expect(late).to.equal("refused");
    expect(await budgets.reservations()).to.deep.equal([]);
  });
});
