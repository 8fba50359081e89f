import { SessionParams } from "../http/common-schemas.ts";
import { ReviewActivityResponse, ReviewBody, ReviewResponse } from "../schemas/review.ts";
import { TriageParams, TriageQuery, TriageResponse } from "../schemas/triage.ts";
import type { RouteContracts } from "./legacy.ts";

/** What people think of investigations. */
export const REVIEW_CONTRACTS = {
  "GET /api/v1/sessions/triage/:group": {
    id: "listTriage",
    tag: "review",
    summary: "The sessions that run, or that are in a state of their review, newest first",
    params: TriageParams,
    query: TriageQuery,
    responses: { 200: { description: "a page", schema: TriageResponse } },
  },
  "PATCH /api/v1/sessions/review": {
    id: "reviewSessions",
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
  "GET /api/v1/sessions/:id/review-activity": {
    id: "getReviewActivity",
    tag: "review",
    summary: "Who did what in a session's review",
    params: SessionParams,
    responses: {
      200: { description: "the newest 1,000 steps, oldest first", schema: ReviewActivityResponse },
    },
  },
} as const satisfies RouteContracts;
