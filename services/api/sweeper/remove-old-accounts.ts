import type { Database } from "#shared/database/database.ts";

/** Accounts in one statement: more than there are for a day. */
const PAGE = 5_000;

/** Removes the accounts of budgets that were opened more than 400 days ago; those of sessions go with them. */
export async function removeOldAccounts(db: Database): Promise<void> {
  await db.query("SELECT tarsy_remove_old_budget_accounts($1)", [PAGE]);
}
