import { Type } from "#shared/generated/typebox/typebox.mjs";
import { FAILURE_TAGS, Score, ScoreStatus } from "#shared/contracts/scoring.ts";
import { literals } from "#shared/contracts/literals.ts";
import { Uuid } from "#shared/contracts/uuid.ts";
import { Time } from "./common.ts";

const Nullable = <S extends Parameters<typeof Type.Union>[0][number]>(schema: S) =>
  Type.Union([schema, Type.Null()]);

/** The answer to `POST /api/v1/sessions/:id/score`. */
export const ScoreAccepted = Type.Object({ score_id: Uuid }, { title: "ScoreAccepted" });

/** The answer to `GET /api/v1/sessions/:id/score`. */
export const ScoreResponse = Type.Object(
  {
    score_id: Uuid,
    status: ScoreStatus,
    total_score: Nullable(Score),
    score_analysis: Nullable(Type.String()),
    tool_improvement_report: Nullable(Type.String({ description: "what the tools lacked, as Markdown" })),
    failure_tags: Type.Array(literals(FAILURE_TAGS)),
    prompt_hash: Nullable(
      Type.String({ description: "scores are comparable if they were made with the same prompts" }),
    ),
    score_triggered_by: Type.String({ description: "a person's name, or `auto`" }),
    stage_id: Uuid,
    error_message: Nullable(Type.String()),
    created_at: Time,
    started_at: Nullable(Time),
    completed_at: Nullable(Time),
  },
  { title: "Score" },
);
