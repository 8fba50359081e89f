import { Type } from "#shared/generated/typebox/typebox.mjs";
import { ANY_KEY, BUDGET_PERIODS, BUDGET_SCOPES, DEFAULT_SOFT_RATIO } from "#shared/contracts/budget.ts";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { literals } from "#shared/contracts/literals.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { errorMessage } from "#shared/errors.ts";
import type { Logger } from "#shared/service/logger.ts";
import type { BudgetRule } from "../persist/reserve-budget.ts";
import type { LimitedBy } from "../session-claim.ts";

/** How long a new budget may go unnoticed; limits that change, and budgets that are deleted, take effect with the next call. */
export const READ_BUDGETS_EVERY_MS = 5_000;
/** As many as the api accepts. */
const MAX_BUDGETS = 1_000;

/** The budgets that there are. */
export interface BudgetSource extends AsyncDisposable {
  /** The budgets that the calls of a session count against; empty if nothing limits it. */
  rulesOf(session: LimitedBy): readonly BudgetRule[];
}

const parseStored = compileParser(
  "budget",
  Type.Object({ scope: literals(BUDGET_SCOPES), key: Type.String(), period: literals(BUDGET_PERIODS) }),
);
const READ = `SELECT scope, key, period FROM budgets ORDER BY scope, key, period LIMIT ${MAX_BUDGETS}`;

/**
 * Reads at the start, then every `everyMs` milliseconds, which budgets there are; while the database does not answer, those
 * known stay. Rejects if the first read fails.
 */
export async function keepBudgets(
  { db, log }: { readonly db: Queryable; readonly log: Logger },
  everyMs: number = READ_BUDGETS_EVERY_MS,
): Promise<BudgetSource> {
  let stored = await selectRows(db, parseStored, READ, []);
  let reading: Promise<void> | undefined;
  const read = async () => {
    try {
      stored = await selectRows(db, parseStored, READ, []);
    } catch (error) {
      log.warn({ error: errorMessage(error) }, "budgets not read: those known stay");
    }
  };
  const timer = setInterval(() => {
    reading ??= read().finally(() => (reading = undefined));
  }, everyMs);
  return {
    rulesOf: (session) => [
      ...configuredRules(session),
      ...stored
        .filter((budget) => concerns(budget, session))
        .map((budget) => ({ ...budget, stored: true as const })),
    ],
    [Symbol.asyncDispose]: async () => {
      clearInterval(timer);
      await reading;
    },
  };
}

function configuredRules({ chainId, budgets }: LimitedBy): BudgetRule[] {
  const { session, day } = budgets ?? {};
  const given = { stored: false, soft_ratio: DEFAULT_SOFT_RATIO } as const;
  return [
    ...(session === undefined
      ? []
      : [{ scope: "session", key: ANY_KEY, period: "session", ...given, ...session } as const]),
    ...(day === undefined
      ? []
      : [{ scope: "chain", key: chainId, period: "day", ...given, ...day } as const]),
  ];
}

function concerns(
  { scope, key }: Pick<BudgetRule, "scope" | "key">,
  { chainId, teams }: Pick<LimitedBy, "chainId" | "teams">,
): boolean {
  switch (scope) {
    case "session":
    case "day":
      return true;
    case "chain":
      return key === chainId;
    case "team":
      return teams.includes(key);
    default:
      return scope satisfies never;
  }
}
