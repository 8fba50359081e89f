import { EntitySchema } from "typeorm";
import type { ScoreStatus } from "#shared/contracts/scoring.ts";

/** How well a session was investigated, by the judgement of a model. */
export interface SessionScore {
  score_id: string;
  session_id: string;
  stage_id: string;
  follow_up_id: string;
  status: ScoreStatus;
  /** From 0 to 100; null until the report is written, and if the scoring failed. */
  total_score: number | null;
  score_analysis: string | null;
  tool_improvement_report: string | null;
  failure_tags: string[];
  /** SHA-256 over the prompts of the judge; null until it starts. */
  prompt_hash: string | null;
  /** A person's name, or `auto`. */
  score_triggered_by: string;
  error_message: string | null;
  created_at: Date;
  started_at: Date | null;
  completed_at: Date | null;
}

export const SessionScoreEntity = new EntitySchema<SessionScore>({
  name: "SessionScore",
  tableName: "session_scores",
  columns: {
    score_id: { type: "uuid", primary: true },
    session_id: { type: "uuid" },
    stage_id: { type: "uuid" },
    follow_up_id: { type: "uuid" },
    status: { type: "text", default: "pending" },
    total_score: { type: "integer", nullable: true },
    score_analysis: { type: "text", nullable: true },
    tool_improvement_report: { type: "text", nullable: true },
    failure_tags: { type: "text", array: true, default: () => "'{}'" },
    prompt_hash: { type: "text", nullable: true },
    score_triggered_by: { type: "text" },
    error_message: { type: "text", nullable: true },
    created_at: { type: "timestamptz", default: () => "now()" },
    started_at: { type: "timestamptz", nullable: true },
    completed_at: { type: "timestamptz", nullable: true },
  },
});
