import type { DatabaseService } from "#shared/database/service-roles.ts";

/** `true` means every column, also those that a later migration adds; otherwise these columns only. */
type Columns = true | readonly string[];

/** What a service's role may do with a table. Nothing else; TRUNCATE and DDL never. */
export interface TableGrants {
  readonly select?: Columns;
  readonly insert?: Columns;
  readonly update?: Columns;
  readonly delete?: true;
}

/**
 * How the rows of a table go: `session` rows are deleted with their session, by foreign keys that cascade; `own` rows are
 * deleted by what `by` names; `kept` rows stay, for a reason.
 */
type PurgeRule =
  | { readonly kind: "session" }
  | { readonly kind: "own"; readonly by: string }
  | { readonly kind: "kept"; readonly because: string };

export interface TableRules {
  readonly grants: Readonly<Partial<Record<DatabaseService, TableGrants>>>;
  readonly purge: PurgeRule;
}
