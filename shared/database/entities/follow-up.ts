import { EntitySchema } from "typeorm";
import { RUN_STATUSES, type FollowUpKind, type RunStatus } from "#shared/contracts/statuses.ts";

/** A piece of work on a session that has ended; it has a stage of its own. */
interface FollowUp {
  follow_up_id: string;
  session_id: string;
  kind: FollowUpKind;
  stage_id: string;
  status: RunStatus;
  /** A chain with one stage, resolved when it was asked for. */
  resolved_config: object;
  config_hash: string;
  asked_by: string;
  cancel_requested_at: Date | null;
  created_at: Date;
  started_at: Date | null;
  /** Counts from the first start; null before it. */
  deadline_at: Date | null;
  completed_at: Date | null;
  error_message: string | null;
  error_code: string | null;
  /** The search has what it said, once it has ended. */
  is_indexed: boolean;
}

export const FollowUpEntity = new EntitySchema<FollowUp>({
  name: "FollowUp",
  tableName: "follow_ups",
  columns: {
    follow_up_id: { type: "uuid", primary: true },
    session_id: { type: "uuid" },
    kind: { type: "text" },
    stage_id: { type: "uuid" },
    status: { type: "enum", enum: RUN_STATUSES, enumName: "run_status", default: "pending" },
    resolved_config: { type: "jsonb" },
    config_hash: { type: "text" },
    asked_by: { type: "text" },
    cancel_requested_at: { type: "timestamptz", nullable: true },
    created_at: { type: "timestamptz", default: () => "now()" },
    started_at: { type: "timestamptz", nullable: true },
    deadline_at: { type: "timestamptz", nullable: true },
    completed_at: { type: "timestamptz", nullable: true },
    error_message: { type: "text", nullable: true },
    error_code: { type: "text", nullable: true },
    is_indexed: { type: "boolean", default: false },
  },
});
