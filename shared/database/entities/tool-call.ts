import { EntitySchema } from "typeorm";
import { TOOL_CALL_STATES, type ToolCallState } from "#shared/contracts/statuses.ts";
import type { ToolEffect } from "#shared/contracts/tool-effect.ts";
import type { ToolCallFailure } from "#shared/contracts/tool-call.ts";

/** A tool call's claim and result. An id that has a row is never run again. */
interface ToolCall {
  call_id: string;
  session_id: string;
  execution_id: string;
  /** The caller's lease epoch; a call starts only against a live lease of that epoch. */
  epoch: number;
  name: string;
  read_only: boolean;
  effect: ToolEffect | null;
  /** Of a running call: `sending` from the moment in which a call that must not be repeated may be sent. Null if it never ran. */
  phase: "claimed" | "sending" | null;
  /** The runner that makes it, and holds the connections of its execution. */
  runner: string | null;
  state: ToolCallState;
  /** The result's text, or the failure's message. */
  result: string | null;
  is_error: boolean | null;
  /** Only on failed calls. */
  failure: ToolCallFailure | null;
  /** Deferred by each heartbeat of a running call's runner; once it has passed, the call counts as lost. */
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
    effect: { type: "text", nullable: true },
    phase: { type: "text", nullable: true },
    runner: { type: "uuid", nullable: true },
    state: { type: "enum", enum: TOOL_CALL_STATES, enumName: "tool_call_state" },
    result: { type: "text", nullable: true },
    is_error: { type: "boolean", nullable: true },
    failure: { type: "text", nullable: true },
    alive_until: { type: "timestamptz", nullable: true },
    started_at: { type: "timestamptz", default: () => "now()" },
    completed_at: { type: "timestamptz", nullable: true },
  },
});
