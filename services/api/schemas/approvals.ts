import { Type } from "#shared/generated/typebox/typebox.mjs";
import { literals } from "#shared/contracts/literals.ts";
import { APPROVAL_STATES } from "#shared/contracts/statuses.ts";
import { Uuid } from "#shared/contracts/uuid.ts";
import { Time } from "../http/common-schemas.ts";

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
    reason: Type.Optional(Type.String()),
  },
  { title: "Approval" },
);

/** `GET /api/v1/sessions/:id/approvals` */
export const ApprovalsResponse = Type.Object({ session_id: Uuid, approvals: Type.Array(Approval) });

export const DecisionParams = Type.Object({ id: Uuid, approval: Uuid });

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

export const DecisionResponse = Type.Object(Approval.properties, { title: "DecidedApproval" });
