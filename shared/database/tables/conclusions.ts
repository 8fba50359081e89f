import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import {
  CheckedClaim,
  Conclusion,
  CONCLUSION_STATUSES,
  STATED_STATUSES,
} from "#shared/contracts/conclusion.ts";
import { ADD, OF_EXECUTION, table, WITH_EXECUTION, type Row } from "#shared/database/tables/table.ts";

/** What became of a quote of a stored conclusion. */
export const StoredClaim = Type.Object({
  ...CheckedClaim.properties,
  /** The record of the call whose result its source is; null for an alert, a runbook, or no source. */
  interaction_id: Type.Union([Type.String(), Type.Null()]),
});
export type StoredClaim = Static<typeof StoredClaim>;

/**
 * What an agent stated as its conclusion. It may do so twice: then the later attempt counts. A session's conclusion is that of its newest
 * row.
 */
export const CONCLUSIONS = table({
  name: "conclusions",
  columns: {
    execution_id: { ...OF_EXECUTION, primary: true },
    attempt: { type: "integer", primary: true },
    session_id: { type: "uuid" },
    contract: { type: "text", from: "ours" },
    /** The version of the rules that compared the quotes. */
    rules: { type: "integer" },
    /** As the check has it. */
    status: { type: "text", enum: CONCLUSION_STATUSES, checked: true, from: "ours" },
    /** As the model stated it; null if no conclusion could be read. */
    stated_status: { type: "text", nullable: true, enum: STATED_STATUSES, checked: true, from: "ours" },
    /** In percent. */
    confidence: { type: "integer", nullable: true },
    /** Null if no conclusion could be read. */
    body: { type: "jsonb", nullable: true, json: Conclusion, from: "model" },
    /** What was corrected or cut in it, or why it could not be read. */
    remarks: { type: "jsonb", json: Type.Array(Type.String()), from: "model" },
    /** Of each quote, also of those that the second attempt dropped. */
    checked: { type: "jsonb", json: Type.Array(StoredClaim), from: "tool" },
    claims_verified: { type: "integer" },
    claims_total: { type: "integer" },
    /** The session's newest event after the commit that wrote the row. */
    seq: { type: "integer" },
    created_at: { type: "timestamptz", default: "now()" },
  },
  indexes: [
    "conclusions_session (session_id, seq)",
    "conclusions_unread (created_at) WHERE status = 'unchecked'",
  ],
  grants: { api: ADD, executor: ADD },
  purge: WITH_EXECUTION,
  past: { since: "seq" },
});

export type ConclusionRow = Row<typeof CONCLUSIONS>;
