import { table, ADD, OF_SESSION, type Row } from "#shared/database/tables/table.ts";
import { FAILURE_TAGS, SCORE_STATUSES } from "#shared/contracts/scoring.ts";

/** How well a session was investigated, by the judgement of a model. */
export const SESSION_SCORES = table({
  name: "session_scores",
  columns: {
    score_id: { type: "uuid", primary: true },
    session_id: OF_SESSION,
    stage_id: { type: "uuid", ddl: "UNIQUE REFERENCES stages ON DELETE CASCADE" },
    follow_up_id: { type: "uuid", ddl: "UNIQUE REFERENCES follow_ups ON DELETE CASCADE" },
    status: {
      type: "text",
      default: "'pending'",
      enum: SCORE_STATUSES,
      checked: true,
      from: "ours",
      set: "executor",
    },
    /** From 0 to 100; null until the report is written, and if the scoring failed. */
    total_score: {
      type: "integer",
      nullable: true,
      set: "executor",
      ddl: "CHECK (total_score BETWEEN 0 AND 100)",
    },
    score_analysis: { type: "text", nullable: true, from: "model", set: "executor" },
    tool_improvement_report: { type: "text", nullable: true, from: "model", set: "executor" },
    failure_tags: {
      type: "text",
      array: true,
      default: "'{}'",
      enum: FAILURE_TAGS,
      from: "model",
      set: "executor",
    },
    /** SHA-256 over the prompts of the judge; null until it starts. */
    prompt_hash: { type: "text", nullable: true, from: "digest", set: "executor" },
    /** A person's name, or `auto`. */
    score_triggered_by: { type: "text", from: "caller" },
    error_message: { type: "text", nullable: true, from: "other", set: "executor" },
    created_at: { type: "timestamptz", default: "now()" },
    started_at: { type: "timestamptz", nullable: true, set: "executor" },
    completed_at: { type: "timestamptz", nullable: true, set: "executor" },
  },
  constraints: ["CHECK (status <> 'completed' OR total_score IS NOT NULL)"],
  indexes: [
    "UNIQUE session_scores_open (session_id) WHERE status IN ('pending', 'in_progress', 'memorizing')",
    "session_scores_newest (session_id, created_at DESC, score_id)",
  ],
  grants: { api: ADD, executor: ADD },
  purge: { kind: "session" },
  past: {
    since: "kept",
    changing: [
      ["status", "error_message", "started_at", "completed_at", "prompt_hash", "total_score", "failure_tags"],
      ["score_analysis", "tool_improvement_report"],
    ],
  },
});

export type SessionScore = Row<typeof SESSION_SCORES>;
