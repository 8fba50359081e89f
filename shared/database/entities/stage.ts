import { EntitySchema } from "typeorm";
import {
  PARALLEL_TYPES,
  RUN_STATUSES,
  SUCCESS_POLICIES,
  type ParallelType,
  type RunStatus,
  type StageType,
  type SuccessPolicy,
} from "#shared/contracts/statuses.ts";

/** One stage of a session's chain. `stage_index` counts from 1. */
export interface Stage {
  stage_id: string;
  session_id: string;
  stage_name: string;
  stage_index: number;
  expected_agent_count: number;
  /** Null for a single agent. */
  parallel_type: ParallelType | null;
  success_policy: SuccessPolicy | null;
  stage_type: StageType;
  /** Whether the agents of an action stage have changed something, by the records of their calls; null if not known. */
  actions_executed: boolean | null;
  /** The same by the word of the models; null if they did not say. */
  actions_claimed: boolean | null;
  status: RunStatus;
  started_at: Date | null;
  completed_at: Date | null;
  duration_ms: number | null;
  error_message: string | null;
  error_code: string | null;
  chat_id: string | null;
  chat_user_message_id: string | null;
}

export const StageEntity = new EntitySchema<Stage>({
  name: "Stage",
  tableName: "stages",
  columns: {
    stage_id: { type: "uuid", primary: true },
    session_id: { type: "uuid" },
    stage_name: { type: "text" },
    stage_index: { type: "integer" },
    expected_agent_count: { type: "integer" },
    parallel_type: { type: "enum", enum: PARALLEL_TYPES, enumName: "parallel_type", nullable: true },
    success_policy: { type: "enum", enum: SUCCESS_POLICIES, enumName: "success_policy", nullable: true },
    stage_type: { type: "text", default: "investigation" },
    actions_executed: { type: "boolean", nullable: true },
    actions_claimed: { type: "boolean", nullable: true },
    status: { type: "enum", enum: RUN_STATUSES, enumName: "run_status", default: "pending" },
    started_at: { type: "timestamptz", nullable: true },
    completed_at: { type: "timestamptz", nullable: true },
    duration_ms: { type: "integer", nullable: true },
    error_message: { type: "text", nullable: true },
    error_code: { type: "text", nullable: true },
    chat_id: { type: "uuid", nullable: true },
    chat_user_message_id: { type: "uuid", nullable: true },
  },
});
