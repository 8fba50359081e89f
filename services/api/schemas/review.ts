import { Type } from "#shared/generated/typebox/typebox.mjs";
import { literals } from "#shared/contracts/literals.ts";
import { QUALITY_RATINGS, REVIEW_ACTIONS, REVIEW_STATUSES } from "#shared/contracts/review.ts";
import { MAX_REVIEWED_SESSIONS, MAX_REVIEW_CHARACTERS } from "../review/review-request.ts";

const Text = Type.Optional(
  Type.Union([
    Type.String({ maxLength: MAX_REVIEW_CHARACTERS, description: "an empty text clears" }),
    Type.Null(),
  ]),
);

/** The body of `PATCH /api/v1/sessions/review`. Unknown members are ignored. */
export const ReviewBody = Type.Object({
  session_ids: Type.Array(Type.String({ maxLength: 100 }), { minItems: 1, maxItems: MAX_REVIEWED_SESSIONS }),
  action: literals(REVIEW_ACTIONS),
  quality_rating: Type.Optional(Type.Union([literals([...QUALITY_RATINGS, ""]), Type.Null()])),
  action_taken: Text,
  investigation_feedback: Text,
  expected: Type.Optional(
    Type.Object(
      { review_status: literals(REVIEW_STATUSES), assignee: Type.Union([Type.String(), Type.Null()]) },
      { description: "what the reviewer saw: no step is taken with a session that is in another state" },
    ),
  ),
});

export const ReviewResponse = Type.Object({
  results: Type.Array(
    Type.Object({
      session_id: Type.String(),
      success: Type.Boolean(),
      error: Type.Optional(Type.String({ description: "present without success" })),
    }),
  ),
});

/** `GET /api/v1/sessions/:id/review-activity` */
export const ReviewActivityResponse = Type.Object({
  activities: Type.Array(
    Type.Object({
      id: Type.String(),
      actor: Type.String({ description: "the name of the person or program that did it" }),
      action: literals(REVIEW_ACTIONS),
      from_status: Type.Union([literals(REVIEW_STATUSES), Type.Null()]),
      to_status: literals(REVIEW_STATUSES),
      quality_rating: Type.Optional(literals(QUALITY_RATINGS)),
      note: Type.Optional(Type.String({ description: "the action_taken of the request" })),
      investigation_feedback: Type.Optional(Type.String()),
      created_at: Type.String({ description: "ISO 8601, UTC" }),
    }),
  ),
});
