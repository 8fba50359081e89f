import { table, ADD, OF_SESSION, READ, type Row } from "#shared/database/tables/table.ts";
import { PARALLEL_TYPES, SUCCESS_POLICIES, RUN_STATUSES, STAGE_TYPES } from "#shared/contracts/statuses.ts";

/** One stage of a session's chain. `stage_index` counts from 1. */
export const STAGES = table({
  name: "stages",
  columns: {
    stage_id: { type: "uuid", primary: true },
    session_id: OF_SESSION,
    stage_name: { type: "text", from: "config" },
    stage_index: { type: "integer", ddl: "CHECK (stage_index >= 0)" },
    expected_agent_count: { type: "integer", ddl: "CHECK (expected_agent_count > 0)" },
    /** Null for a single agent. */
    parallel_type: { type: "enum", enum: PARALLEL_TYPES, enumName: "parallel_type", nullable: true },
    success_policy: { type: "enum", enum: SUCCESS_POLICIES, enumName: "success_policy", nullable: true },
    status: {
      type: "enum",
      enum: RUN_STATUSES,
      enumName: "run_status",
      default: "'pending'",
      set: "executor",
    },
    started_at: { type: "timestamptz", nullable: true },
    completed_at: { type: "timestamptz", nullable: true, set: "executor" },
    duration_ms: { type: "integer", nullable: true, set: "executor" },
    error_message: { type: "text", nullable: true, from: "other", set: "executor" },
    error_code: { type: "text", nullable: true, from: "ours", set: "executor" },
    chat_id: { type: "uuid", nullable: true, ddl: "REFERENCES chats ON DELETE SET NULL" },
    chat_user_message_id: {
      type: "uuid",
      nullable: true,
      ddl: "UNIQUE REFERENCES chat_user_messages ON DELETE SET NULL",
    },
    stage_type: { type: "text", default: "'investigation'", enum: STAGE_TYPES, from: "ours" },
    /** The session's newest event after the commit that inserted the row, and after that of its end. */
    seq: { type: "integer", nullable: true, hidden: true },
    ended_seq: { type: "integer", nullable: true, hidden: true, set: "executor" },
    /** Whether the agents of an action stage have changed something, by the records of their calls; null if not known. */
    actions_executed: { type: "boolean", nullable: true, set: "executor" },
    /** The same by the word of the models; null if they did not say. */
    actions_claimed: { type: "boolean", nullable: true, set: "executor" },
  },
  constraints: ["UNIQUE (session_id, stage_index)"],
  indexes: ["stages_chat (chat_id) WHERE chat_id IS NOT NULL"],
  grants: {
    api: ADD,
    executor: ADD,
    "tool-runner": READ,
    notifier: { select: ["stage_id", "session_id", "stage_index", "stage_type"] },
  },
  purge: { kind: "session" },
  past: { since: "seq" },
});

export type Stage = Row<typeof STAGES>;
