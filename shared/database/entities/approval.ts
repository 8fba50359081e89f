import { EntitySchema } from "typeorm";
import type { ApprovalState } from "#shared/contracts/statuses.ts";

/** A tool call that a person was asked about, and the decision. */
export interface Approval {
  approval_id: string;
  session_id: string;
  execution_id: string;
  /** Of the first attempt of the call in `tool_calls`. */
  call_id: string;
  /** "server.tool" */
  tool: string;
  /** As the runner gets them. */
  arguments: string;
  /** SHA-256 of `arguments` in hex: the runner makes a call only with the arguments that were agreed to. */
  arguments_hash: string;
  state: ApprovalState;
  requested_at: Date;
  expires_at: Date;
  decided_at: Date | null;
  decided_by: string | null;
  reason: string | null;
}

export const ApprovalEntity = new EntitySchema<Approval>({
  name: "Approval",
  tableName: "approvals",
  columns: {
    approval_id: { type: "uuid", primary: true },
    session_id: { type: "uuid" },
    execution_id: { type: "uuid" },
    call_id: { type: "text" },
    tool: { type: "text" },
    arguments: { type: "text" },
    arguments_hash: { type: "text" },
    state: { type: "text" },
    requested_at: { type: "timestamptz", default: () => "now()" },
    expires_at: { type: "timestamptz" },
    decided_at: { type: "timestamptz", nullable: true },
    decided_by: { type: "text", nullable: true },
    reason: { type: "text", nullable: true },
  },
});
