import { ApprovalsResponse, DecisionBody, DecisionParams, DecisionResponse } from "../schemas/approvals.ts";
import { SessionParams } from "../http/common-schemas.ts";
import type { RouteContracts } from "./legacy.ts";

/** Questions about tool calls, and the decisions of people. */
export const APPROVAL_CONTRACTS = {
  "GET /api/v1/sessions/:id/approvals": {
    id: "listApprovals",
    tag: "approvals",
    summary: "What people were asked about a session's tool calls, and what they decided",
    params: SessionParams,
    responses: { 200: { description: "the questions, oldest first", schema: ApprovalsResponse } },
  },
  "POST /api/v1/sessions/:id/approvals/:approval": {
    id: "decideApproval",
    tag: "approvals",
    summary: "Decide once and for all whether a tool call may be made",
    params: DecisionParams,
    body: { schema: DecisionBody, example: { decision: "approve" } },
    responses: { 200: { description: "the question and its decision", schema: DecisionResponse } },
    errors: [409],
  },
} as const satisfies RouteContracts;
