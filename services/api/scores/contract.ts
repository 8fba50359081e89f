import { Type } from "#shared/generated/typebox/typebox.mjs";
import { FAILURE_TAGS, Score, ScoreStatus } from "#shared/contracts/scoring.ts";
import { literals } from "#shared/contracts/literals.ts";
import { Uuid } from "#shared/contracts/uuid.ts";
import { Nullable, NullableText, SessionParams, Time } from "../http/common-schemas.ts";
import type { Endpoints } from "../http/endpoint.ts";

const ScoreResponse = Type.Object(
  {
    score_id: Uuid,
    status: ScoreStatus,
    total_score: Nullable(Score),
    score_analysis: NullableText,
    tool_improvement_report: Nullable(Type.String({ description: "what the tools lacked, as Markdown" })),
    failure_tags: Type.Array(literals(FAILURE_TAGS)),
    prompt_hash: Nullable(
      Type.String({ description: "scores are comparable if they were made with the same prompts" }),
    ),
    score_triggered_by: Type.String({ description: "a person's name, or `auto`" }),
    stage_id: Uuid,
    error_message: NullableText,
    created_at: Time,
    started_at: Nullable(Time),
    completed_at: Nullable(Time),
  },
  { title: "Score" },
);

const AT_SCORE = { path: "/api/v1/sessions/:id/score", tag: "sessions", params: SessionParams } as const;

/** How well sessions were investigated. */
export const SCORES = {
  scoreSession: {
    ...AT_SCORE,
    method: "post",
    action: "session.score",
    summary: "Have a judge score a session that has ended",
    responses: {
      202: {
        description: "stored; a judge scores the session soon",
        schema: Type.Object({ score_id: Uuid }, { title: "ScoreAccepted" }),
      },
    },
    errors: [409],
  },
  getScore: {
    ...AT_SCORE,
    method: "get",
    action: "session.read",
    summary: "The newest score of a session, whatever its state",
    responses: { 200: { description: "the score", schema: ScoreResponse } },
  },
} as const satisfies Endpoints;
