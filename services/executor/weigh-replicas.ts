import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { CONCLUSIONS } from "#shared/database/tables/conclusions.ts";
import { rowMembers } from "#shared/database/tables/row-members.ts";

const Weighed = Type.Object({ ...rowMembers(CONCLUSIONS, "status", "body", "claims_verified") });

const parseWeighed = compileParser("conclusion of a replica", Weighed);

const READ = `
SELECT DISTINCT ON (execution_id) status, body, claims_verified FROM conclusions
WHERE execution_id = ANY($1::uuid[]) ORDER BY execution_id, attempt DESC`;

/**
 * True if the replicas that have run need no further one: a conclusion is confirmed, or two that have a verified claim each name the same
 * first cause. It depends on committed rows alone. Throws database errors.
 */
export async function haveReplicasAgreed(db: Queryable, executionIds: readonly string[]): Promise<boolean> {
  return areAgreed(await selectRows(db, parseWeighed, READ, [executionIds]));
}

/** The same of these conclusions, one of each replica. */
export function areAgreed(conclusions: readonly Static<typeof Weighed>[]): boolean {
  if (conclusions.some(({ status }) => status === "confirmed")) return true;
  const causes = conclusions.flatMap(({ body, claims_verified }) => {
    const [first] = body?.causes ?? [];
    return first === undefined || claims_verified === 0
      ? []
      : [JSON.stringify([first.entity.trim().toLowerCase(), first.kind])];
  });
  return new Set(causes).size < causes.length;
}
