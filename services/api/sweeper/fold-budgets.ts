import { Type } from "#shared/generated/typebox/typebox.mjs";
import type { AgentConfig } from "#shared/agent-config/agent-config.ts";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { Database } from "#shared/database/database.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { errorMessage } from "#shared/errors.ts";
import { jitter, pause } from "#shared/pause.ts";
import type { Logger } from "#shared/service/logger.ts";
import type { ApiMetrics } from "../api-metrics.ts";
import { budgetView, configuredBudgets, readBudgets, type BudgetRow } from "../budgets/read-budgets.ts";

/** What a call has used is free for others after this time at most, in milliseconds; the first call after a quiet time by the second. */
const EVERY_MS = 1_000;
const QUIET_EVERY_MS = 5_000;
/** Between two looks at how much is used, in milliseconds. */
const RATIO_EVERY_MS = 10_000;
/** Rows of the ledger in one statement, which holds the locks of their accounts. */
const PAGE = 500;

const parseSwept = compileParser("swept rows", Type.Object({ lost: Type.Integer(), folded: Type.Integer() }));
/** The functions are volatile: each sees what the one before it has written. */
const SWEEP = `SELECT tarsy_settle_lost_budgets(${PAGE}) AS lost, tarsy_fold_budgets(${PAGE}) AS folded`;

/**
 * Until `signal` aborts: settles the calls whose owners are gone, at the most that they could use, and adds to the accounts what
 * calls have used; now and then says how much of the budgets is used. Any number of replicas may do so. Never throws.
 */
export async function foldBudgets(
  {
    db,
    log,
    metrics,
    agents,
  }: {
    readonly db: Database;
    readonly log: Logger;
    readonly metrics: Pick<ApiMetrics, "lostBudgetCalls" | "budgetUsedRatio">;
    readonly agents: AgentConfig;
  },
  signal: AbortSignal,
): Promise<void> {
  const configured = configuredBudgets(agents);
  let ratioAt = 0;
  while (!signal.aborted) {
    let isQuiet = true;
    try {
      let folded: number;
      do {
        const [swept] = await selectRows(db, parseSwept, SWEEP, []);
        const lost = swept?.lost ?? 0;
        folded = swept?.folded ?? 0;
        if (lost > 0) log.warn({ calls: lost }, "calls of owners that are gone count in full");
        metrics.lostBudgetCalls.inc(lost);
        isQuiet &&= lost + folded === 0;
      } while (folded === PAGE && !signal.aborted);
      if (performance.now() >= ratioAt) {
        metrics.budgetUsedRatio.set(highestRatio(await readBudgets(db, configured, null)));
        ratioAt = performance.now() + RATIO_EVERY_MS;
      }
    } catch (error) {
      if (!signal.aborted) log.warn({ error: errorMessage(error) }, "budgets not swept: retrying");
    }
    await pause(jitter(isQuiet ? QUIET_EVERY_MS : EVERY_MS), signal).catch(() => undefined);
  }
}

function highestRatio(rows: readonly BudgetRow[]): number {
  const amounts = rows
    .filter(({ scope }) => scope !== "session")
    .flatMap((row) => budgetView(row, true).amounts);
  return Math.max(0, ...amounts.map(({ limit, used = 0 }) => used / limit));
}
