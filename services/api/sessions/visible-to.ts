import { ownerOf, seesAll } from "#shared/access/authorize.ts";
import type { Identity } from "#shared/access/identity.ts";
import type { SqlParameters } from "./sql-parameters.ts";

/**
 * The SQL condition that lists apply: `s`, a row of `alert_sessions`, exists for the identity. The same rule as `maySee` with
 * `foundSessions`, which decide about single sessions.
 */
export function visibleTo(identity: Identity, parameters: SqlParameters): string {
  return `s.deleted_at IS NULL AND ${readableBy(identity, parameters, "s")}`;
}

/** The SQL condition that the identity is the owner of the row, of its teams, or may see all; `of` is the row's alias. */
export function readableBy(identity: Identity, parameters: SqlParameters, of: "s" | "m"): string {
  if (seesAll(identity)) return "true";
  const teams = `${of}.teams && ${parameters.add(identity.teams)}::text[]`;
  // A submission without a particular person has no owner: like `maySee`, null equals null.
  const owner = ownerOf(identity);
  const own =
    owner === null ? `${of}.owner_subject IS NULL` : `${of}.owner_subject = ${parameters.add(owner)}`;
  return `(${own} OR ${teams})`;
}
