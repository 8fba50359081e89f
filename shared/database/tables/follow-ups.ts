import { table, ADD, OF_SESSION, type Row } from "#shared/database/tables/table.ts";
import { FOLLOW_UP_KINDS, RUN_STATUSES } from "#shared/contracts/statuses.ts";

/**
 * A piece of work on a session that has ended, such as the answer to a question; it has a stage of its own. The partial unique index lets
 * one piece of work of a kind run at a time. `follow_ups_to_index` has the rows of the last seconds.
 */
export const FOLLOW_UPS = table({
  name: "follow_ups",
  columns: {
    follow_up_id: { type: "uuid", primary: true },
    session_id: OF_SESSION,
    kind: { type: "text", enum: FOLLOW_UP_KINDS, checked: true, from: "ours" },
    stage_id: { type: "uuid", ddl: "UNIQUE REFERENCES stages ON DELETE CASCADE" },
    status: {
      type: "enum",
      enum: RUN_STATUSES,
      enumName: "run_status",
      default: "'pending'",
      set: "executor",
    },
    /** Of a chain with one stage, resolved when it was asked for, in `resolved_configs`. */
    config_hash: { type: "text", from: "digest" },
    asked_by: { type: "text", from: "caller" },
    cancel_requested_at: { type: "timestamptz", nullable: true, set: "api" },
    created_at: { type: "timestamptz", default: "now()" },
    started_at: { type: "timestamptz", nullable: true, set: "executor" },
    /** Counts from the first start; null before it. */
    deadline_at: { type: "timestamptz", nullable: true, set: "executor" },
    completed_at: { type: "timestamptz", nullable: true, set: "executor" },
    error_message: { type: "text", nullable: true, from: "other", set: "executor" },
    error_code: { type: "text", nullable: true, from: "ours", set: "executor" },
    /** The search has what it said, once it has ended. */
    is_indexed: { type: "boolean", default: "false", set: "api" },
  },
  indexes: [
    "UNIQUE follow_ups_open (session_id, kind) WHERE status IN ('pending', 'active')",
    "follow_ups_waiting (created_at) WHERE status IN ('pending', 'active')",
    "follow_ups_session (session_id)",
    "follow_ups_to_index (session_id) WHERE status NOT IN ('pending', 'active') AND NOT is_indexed",
  ],
  grants: {
    api: ADD,
    executor: ADD,
    "tool-runner": { select: ["follow_up_id", "session_id", "stage_id", "status", "config_hash"] },
  },
  purge: { kind: "session" },
});

export type FollowUp = Row<typeof FOLLOW_UPS>;
