import { literals } from "#shared/contracts/literals.ts";
import { QUALITY_RATINGS, REVIEW_ACTIONS, REVIEW_STATUSES } from "#shared/contracts/review.ts";
import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { SessionParams } from "../http/common-schemas.ts";
import type { Endpoints } from "../http/endpoint.ts";
import { MAX_REVIEWED_SESSIONS, MAX_REVIEW_CHARACTERS } from "./review-request.ts";
import { SessionItem } from "../sessions/list-schemas.ts";

const Text = Type.Optional(
  Type.Union([
    Type.String({ maxLength: MAX_REVIEW_CHARACTERS, description: "an empty text clears" }),
    Type.Null(),
  ]),
);

/** The body of `PATCH /api/v1/sessions/review`. Unknown members are ignored. */
const ReviewBody = Type.Object({
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

/** The groups of triage: `investigating` runs, the others are the states of a review. */
export const TRIAGE_GROUPS = ["investigating", ...REVIEW_STATUSES] as const;
export type TriageGroup = (typeof TRIAGE_GROUPS)[number];

const TriageParams = Type.Object({ group: literals(TRIAGE_GROUPS) });

/** The query of `GET /api/v1/sessions/triage/:group`. */
export const TriageQuery = Type.Object({
  page: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000_000, default: 1 })),
  page_size: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 20 })),
  assignee: Type.Optional(Type.String({ description: "exact; empty for unclaimed sessions" })),
});
export type TriageQuery = Static<typeof TriageQuery>;

export const TriageResponse = Type.Object({
  count: Type.Integer({ minimum: 0, description: "of the sessions of the group" }),
  count_is_capped: Type.Optional(
    Type.Literal(true, { description: "the group has more sessions than `count`" }),
  ),
  page: Type.Integer({ minimum: 1, description: "the last page in place of one behind it" }),
  page_size: Type.Integer({ minimum: 1 }),
  total_pages: Type.Integer({ minimum: 1 }),
  sessions: Type.Array(SessionItem),
});

/** What people think of investigations. */
export const REVIEWS = {
  listTriage: {
    method: "get",
    path: "/api/v1/sessions/triage/:group",
    action: "session.read",
    tag: "review",
    summary: "The sessions that run, or that are in a state of their review, newest first",
    params: TriageParams,
    query: TriageQuery,
    responses: { 200: { description: "a page", schema: TriageResponse } },
  },
  reviewSessions: {
    method: "patch",
    path: "/api/v1/sessions/review",
    action: "session.review",
    tag: "review",
    summary: "Take a step in the review of up to 50 sessions",
    description: "Each session is reviewed or refused alone; see `results`.",
    errors: [409],
    body: {
      schema: ReviewBody,
      example: { session_ids: ["0199f0a0-0000-7000-8000-000000000000"], action: "claim" },
    },
    responses: {
      200: { description: "what came of each session, in the order of the request", schema: ReviewResponse },
    },
  },
  getReviewActivity: {
    method: "get",
    path: "/api/v1/sessions/:id/review-activity",
    action: "session.read",
    tag: "review",
    summary: "Who did what in a session's review",
    params: SessionParams,
    responses: {
      200: { description: "the newest 1,000 steps, oldest first", schema: ReviewActivityResponse },
    },
  },
} as const satisfies Endpoints;
