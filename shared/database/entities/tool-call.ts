import { EntitySchema } from "typeorm";
import { TOOL_CALL_STATES, type ToolCallState } from "#shared/contracts/statuses.ts";
import type { ToolCallFailure } from "#shared/contracts/tool-call.ts";

/** A tool call's claim and result, owned by the tool-runner: an id that is here once never runs a second time. */
export interface ToolCall {
  call_id: string;
  session_id: string;
  execution_id: string;
  /** The caller's lease epoch; a call starts only against a live lease of that epoch. */
  epoch: number;
  name: string;
  read_only: boolean;
  state: ToolCallState;
  /** The result's text, or what is to be said about the failure. */
  result: string | null;
  is_error: boolean | null;
  /** Why a failed call failed. */
  failure: ToolCallFailure | null;
  /** The runner of a running call puts this off while it lives; afterwards the call counts as lost. */
  alive_until: Date | null;
  started_at: Date;
  completed_at: Date | null;
}

export const ToolCallEntity = new EntitySchema<ToolCall>({
  name: "ToolCall",
  tableName: "tool_calls",
  columns: {
    call_id: { type: "text", primary: true },
    session_id: { type: "uuid" },
    execution_id: { type: "uuid" },
    epoch: { type: "integer" },
    name: { type: "text" },
    read_only: { type: "boolean" },
    state: { type: "enum", enum: TOOL_CALL_STATES, enumName: "tool_call_state" },
    result: { type: "text", nullable: true },
    is_error: { type: "boolean", nullable: true },
    failure: { type: "text", nullable: true },
    alive_until: { type: "timestamptz", nullable: true },
    started_at: { type: "timestamptz", default: () => "now()" },
    completed_at: { type: "timestamptz", nullable: true },
  },
});
