import { SessionParams } from "../http/common-schemas.ts";
import {
  ComparisonQuery,
  ComparisonResponse,
  ForkBody,
  ForkResponse,
  StepsResponse,
} from "../schemas/forking.ts";
import type { RouteContracts } from "./legacy.ts";

/** Sessions that go on from a point of another one, and how two sessions differ. */
export const FORKING_CONTRACTS = {
  "POST /api/v1/sessions/:id/fork": {
    id: "forkSession",
    tag: "sessions",
    summary:
      "Investigate again from the end of a step, with another model, instruction, limit or tool result",
    params: SessionParams,
    body: {
      schema: ForkBody,
      example: { at_seq: 42, changes: { llm_provider: "gemini-flash" }, tools: "recorded" },
    },
    responses: { 202: { description: "the fork runs soon", schema: ForkResponse } },
    errors: [409, 422],
  },
  "GET /api/v1/sessions/:id/steps": {
    id: "getSteps",
    tag: "sessions",
    summary: "The ends of the steps from which a session can be forked",
    params: SessionParams,
    responses: { 200: { description: "the steps, in order", schema: StepsResponse } },
  },
  "GET /api/v1/sessions/:id/comparison": {
    id: "compareSessions",
    tag: "sessions",
    summary: "Two sessions step by step, and where they first differ",
    params: SessionParams,
    query: ComparisonQuery,
    responses: { 200: { description: "both sessions", schema: ComparisonResponse } },
  },
} as const satisfies RouteContracts;
