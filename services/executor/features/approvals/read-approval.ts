import { isoText } from "#shared/database/iso-text.ts";
import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { literals } from "#shared/contracts/literals.ts";
import { APPROVAL_STATES } from "#shared/contracts/statuses.ts";
import { Uuid } from "#shared/contracts/uuid.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";

const StoredApproval = Type.Object({
  approval_id: Uuid,
  tool: Type.String(),
  state: literals(APPROVAL_STATES),
  /** ISO 8601, by the database's clock. */
  requested_at: Type.String(),
  expires_at: Type.String(),
  /** True once the time for a decision is over. */
  is_over: Type.Boolean(),
  reason: Type.Union([Type.String(), Type.Null()]),
  /** The newest entry of the session's inbox when this was read; every decision makes one. */
  inbox_seq: Type.Integer(),
});
export type StoredApproval = Static<typeof StoredApproval>;

const parse = compileParser("approval", StoredApproval);

const READ = `
SELECT a.approval_id, a.tool, a.state, a.reason, a.expires_at <= clock_timestamp() AS is_over, r.inbox_seq,
       ${isoText("a.requested_at")} AS requested_at,
       ${isoText("a.expires_at")} AS expires_at
FROM approvals a JOIN session_runtime r USING (session_id) WHERE a.call_id = $1`;

/** What was asked about the call of this id, the one of its first attempt; undefined if there was no question. */
export async function readApproval(db: Queryable, callId: string): Promise<StoredApproval | undefined> {
  const [row] = await selectRows(db, parse, READ, [callId]);
  return row;
}
