import type { Approval } from "#shared/database/tables/approvals.ts";
import { withoutNulls } from "../http/without-nulls.ts";

/** A question about a tool call and its decision, as JSON. */
export function approvalView({ arguments_hash: _hash, ...approval }: Approval): object {
  return withoutNulls(approval);
}
