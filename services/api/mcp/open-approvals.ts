import type { InputRequest } from "@modelcontextprotocol/server";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { Uuid } from "#shared/contracts/uuid.ts";
import { isoText } from "#shared/database/iso-text.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { escapeHidden, withoutHidden } from "#shared/visible-controls.ts";
import { DecisionBody } from "../approvals/contract.ts";
import { bodyReader } from "../http/body-reader.ts";

const MAX_SHOWN = 50;

const Approval = Type.Object({
  approval_id: Uuid,
  session_id: Uuid,
  tool: Type.String(),
  arguments: Type.String(),
  arguments_sha256: Type.String(),
  requested_at: Type.String(),
  expires_at: Type.String(),
});
/** A tool call that a person is asked about. */
export type AskedCall = Static<typeof Approval>;
const parseApproval = compileParser("approval", Approval);

const APPROVAL = `
SELECT a.approval_id, a.session_id, a.tool, a.arguments, a.arguments_hash AS arguments_sha256,
  ${isoText("a.requested_at")} AS requested_at, ${isoText("a.expires_at")} AS expires_at
FROM approvals a JOIN alert_sessions s USING (session_id) WHERE s.deleted_at IS NULL AND `;
const OPEN = `${APPROVAL} a.state = 'awaiting_approval' AND a.expires_at > clock_timestamp()`;
const NEWEST = `ORDER BY a.requested_at DESC LIMIT ${MAX_SHOWN}`;

/** The calls that a session waits for; null for those of all sessions, which operators see. The newest 50. */
export async function readOpenApprovals(
  db: Queryable,
  sessionId: string | null,
): Promise<readonly AskedCall[]> {
  if (sessionId === null) return selectRows(db, parseApproval, `${OPEN} ${NEWEST}`, []);
  return selectRows(db, parseApproval, `${OPEN} AND a.session_id = $1 ${NEWEST}`, [sessionId]);
}

/** A call that was or is in question, whose session the caller must be checked against; undefined if there is none. */
export async function findApproval(db: Queryable, approvalId: string): Promise<AskedCall | undefined> {
  const [found] = await selectRows(db, parseApproval, `${APPROVAL} a.approval_id = $1`, [approvalId]);
  return found;
}

/** The form in which a client shows its user a call, as the tool will get it. */
export function approvalForm({ tool, arguments: args, arguments_sha256: hash }: AskedCall): InputRequest {
  return {
    method: "elicitation/create",
    params: {
      mode: "form",
      message: `An agent of TARSy asks to call ${withoutHidden(tool)} with these arguments, which a model wrote:\n${escapeHidden(args)}\nSHA-256 of the arguments: ${hash}`,
      requestedSchema: {
        type: "object",
        properties: {
          decision: { type: "string", enum: ["approve", "deny"], title: "Decision" },
          reason: { type: "string", title: "Reason, for the agent", maxLength: 2_000 },
        },
        required: ["decision"],
      },
    },
  };
}

const readDecision = bodyReader(DecisionBody);

/** What the user decided in the form; null if the form was closed without. Throws RequestError 400 for an answer of another form. */
export function decisionOf(answer: unknown): Static<typeof DecisionBody> | null {
  if (typeof answer !== "object" || answer === null || !("action" in answer)) return null;
  const content = "content" in answer ? answer.content : undefined;
  return answer.action === "accept" ? readDecision(content) : null;
}
