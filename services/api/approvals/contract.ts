import { literals } from "#shared/contracts/literals.ts";
import { APPROVAL_STATES, DECISION_CHANNELS } from "#shared/contracts/statuses.ts";
import { Uuid } from "#shared/contracts/uuid.ts";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import { Time, SessionParams } from "../http/common-schemas.ts";
import type { Endpoints } from "../http/endpoint.ts";

const MAX_REASON_CHARACTERS = 2_000;

const Approval = Type.Object(
  {
    approval_id: Uuid,
    session_id: Uuid,
    execution_id: Uuid,
    call_id: Type.String(),
    tool: Type.String({ description: "server.tool" }),
    arguments: Type.String({ description: "as the tool will get them" }),
    state: literals(APPROVAL_STATES),
    requested_at: Time,
    expires_at: Time,
    decided_at: Type.Optional(Time),
    decided_by: Type.Optional(Type.String()),
    decided_via: Type.Optional(literals(DECISION_CHANNELS)),
    reason: Type.Optional(Type.String()),
  },
  { title: "Approval" },
);

const ApprovalsResponse = Type.Object({ session_id: Uuid, approvals: Type.Array(Approval) });

const DecisionParams = Type.Object({ id: Uuid, approval: Uuid });

/** The body of `POST /api/v1/sessions/:id/approvals/:approval`. Unknown members are ignored. */
export const DecisionBody = Type.Object({
  decision: literals(["approve", "deny"]),
  reason: Type.Optional(
    Type.Union([
      Type.String({ maxLength: MAX_REASON_CHARACTERS, description: "for the agent" }),
      Type.Null(),
    ]),
  ),
});

const DecisionResponse = Type.Object(Approval.properties, { title: "DecidedApproval" });

/** Questions about tool calls, and the decisions of people. */
export const APPROVALS = {
  listApprovals: {
    method: "get",
    path: "/api/v1/sessions/:id/approvals",
    action: "session.read",
    tag: "approvals",
    summary: "What people were asked about a session's tool calls, and what they decided",
    params: SessionParams,
    responses: { 200: { description: "the questions, oldest first", schema: ApprovalsResponse } },
  },
  decideApproval: {
    method: "post",
    path: "/api/v1/sessions/:id/approvals/:approval",
    action: "approval.decide",
    tag: "approvals",
    summary: "Decide once and for all whether a tool call may be made",
    params: DecisionParams,
    body: { schema: DecisionBody, example: { decision: "approve" } },
    responses: { 200: { description: "the question and its decision", schema: DecisionResponse } },
    errors: [409],
  },
} as const satisfies Endpoints;
