import { SessionParams } from "../schemas/common.ts";
import { ScoreAccepted, ScoreResponse } from "../schemas/scoring.ts";
import type { RouteContracts } from "./route-contract.ts";

/** How well sessions were investigated. */
export const SCORING_CONTRACTS = {
  "POST /api/v1/sessions/:id/score": {
    id: "scoreSession",
    tag: "sessions",
    summary: "Have a judge score a session that has ended",
    params: SessionParams,
    responses: { 202: { description: "stored; a judge scores the session soon", schema: ScoreAccepted } },
    errors: [409],
  },
  "GET /api/v1/sessions/:id/score": {
    id: "getScore",
    tag: "sessions",
    summary: "The newest score of a session, whatever its state",
    params: SessionParams,
    responses: { 200: { description: "the score", schema: ScoreResponse } },
  },
} as const satisfies RouteContracts;
