import { table, ADD, OF_EXECUTION, OF_SESSION, READ, WITH_EXECUTION } from "#shared/database/tables/table.ts";
import { TOOL_CALL_STATES } from "#shared/contracts/statuses.ts";
import { TOOL_CALL_FAILURES } from "#shared/contracts/tool-call.ts";
import { TOOL_EFFECTS } from "#shared/contracts/tool-list.ts";

/** A tool call's claim and result. An id that has a row is never run again. */
export const TOOL_CALLS = table({
  name: "tool_calls",
  columns: {
    call_id: { type: "text", primary: true, from: "ours" },
    /** That of the execution. */
    session_id: { type: "uuid" },
    execution_id: OF_EXECUTION,
    /** The caller's lease epoch; a call starts only against a live lease of that epoch. */
    epoch: { type: "integer" },
    name: { type: "text", from: "model" },
    read_only: { type: "boolean" },
    state: { type: "enum", enum: TOOL_CALL_STATES, enumName: "tool_call_state", set: "tool-runner" },
    /** The result's text, or the failure's message. */
    result: { type: "text", nullable: true, from: "tool", set: "tool-runner" },
    is_error: { type: "boolean", nullable: true, set: "tool-runner" },
    started_at: { type: "timestamptz", default: "now()" },
    completed_at: { type: "timestamptz", nullable: true, set: "tool-runner" },
    /** Only on failed calls. */
    failure: {
      type: "text",
      nullable: true,
      enum: TOOL_CALL_FAILURES,
      from: "ours",
      set: "tool-runner",
    },
    /** Deferred by each heartbeat of a running call's runner; once it has passed, the call counts as lost. */
    alive_until: { type: "timestamptz", nullable: true, set: "tool-runner" },
    /** What it may do. */
    effect: { type: "text", nullable: true, enum: TOOL_EFFECTS, from: "ours" },
    /** `claimed` until a call that must not be repeated is about to be sent, then `sending`. Null if it never ran. */
    phase: { type: "text", nullable: true, from: "ours", set: "tool-runner" },
    /** The runner that makes it, and holds the connections of its execution. */
    runner: { type: "uuid", nullable: true },
  },
  constraints: [
    "CONSTRAINT failure_on_failed CHECK ((state = 'failed') = (failure IS NOT NULL))",
    "CONSTRAINT alive_on_running CHECK ((state = 'running') = (alive_until IS NOT NULL))",
  ],
  indexes: [
    "tool_calls_session (session_id)",
    "tool_calls_execution (execution_id)",
    "tool_calls_with_result (completed_at) WHERE result IS NOT NULL",
  ],
  grants: { api: READ, executor: ADD, "tool-runner": ADD },
  purge: WITH_EXECUTION,
});

/** The whole text of a tool result of which the conversation has only a window. */
export const TOOL_RESULTS = table({
  name: "tool_results",
  columns: {
    /** Of the first attempt of the call in `tool_calls`. */
    call_id: { type: "text", primary: true, from: "ours" },
    session_id: OF_SESSION,
    /** Of `content`, in UTF-8. */
    bytes: { type: "integer" },
    lines: { type: "integer" },
    content: { type: "text", from: "tool" },
    created_at: { type: "timestamptz", default: "now()" },
  },
  indexes: ["tool_results_session (session_id)", "tool_results_created (created_at)"],
  grants: {
    api: ADD,
    executor: ADD,
    "tool-runner": { select: ["call_id", "session_id", "bytes"], insert: true },
  },
  purge: { kind: "session" },
});
