import { ownerOf, seesAll } from "#shared/access/authorize.ts";
import type { Identity } from "#shared/access/identity.ts";
import type { SqlParameters } from "./sql-parameters.ts";

/**
 * The SQL condition that lists apply: `s`, a row of `alert_sessions`, exists for the identity. The same rule as `maySee` with
 * `foundSessions`, which decide about single sessions.
 */
export function visibleTo(identity: Identity, parameters: SqlParameters): string {
  const exists = "s.deleted_at IS NULL";
  if (seesAll(identity)) return exists;
  const teams = `s.teams && ${parameters.add(identity.teams)}::text[]`;
  // A submission without a particular person has no owner: like `maySee`, null equals null.
  const owner = ownerOf(identity);
  const own = owner === null ? "s.owner_subject IS NULL" : `s.owner_subject = ${parameters.add(owner)}`;
  return `${exists} AND (${own} OR ${teams})`;
}
