import type { TableRules } from "#shared/database/table-rules.ts";

const READ = { select: true } as const;

/**
 * The tables of what LLM calls may use; part of TABLES in `grants.ts`. Only the functions in `budget-functions.ts` change
 * accounts and reservations.
 */
export const BUDGET_TABLES = {
  budgets: {
    grants: { api: { select: true, insert: true, update: true, delete: true }, executor: READ },
    purge: { kind: "kept", because: "limits hold until an admin deletes them" },
  },
  budget_accounts: {
    grants: { api: READ },
    purge: {
      kind: "own",
      by: "the session of an account, or the api's clean-up 400 days after the account was opened",
    },
  },
  budget_reservations: {
    grants: { api: READ },
    purge: { kind: "own", by: "the settlement of the call, or the api's sweeper once its owner is gone" },
  },
  budget_ledger: {
    grants: { api: READ, executor: { insert: true } },
    purge: { kind: "own", by: "the next reservation of the session, or the api's sweeper within seconds" },
  },
} as const satisfies Record<string, TableRules>;
