import { table, ADD, OF_SESSION, READ } from "#shared/database/tables/table.ts";
import { STEERING_MODES } from "#shared/contracts/statuses.ts";

/** What a person, or the end of an alert, tells the agents of a running session. */
export const STEERING_MESSAGES = table({
  name: "steering_messages",
  columns: {
    message_id: { type: "uuid", primary: true },
    session_id: OF_SESSION,
    /** The session's `inbox_seq` with the message. */
    ordinal: { type: "integer" },
    mode: { type: "text", enum: STEERING_MODES, checked: true, from: "ours" },
    content: { type: "text", nullable: true, from: "person" },
    author: { type: "text", from: "caller" },
    execution_id: { type: "uuid", nullable: true },
    /**
     * The executions that were open at that time; null if there were none: then the message is for those that start next, after the agent
     * `after_agent` of the stage `after_stage`.
     */
    targets: { type: "uuid", array: true, nullable: true },
    after_stage: { type: "integer" },
    after_agent: { type: "integer" },
    /** The timeline rows of the tool calls that are to be skipped. */
    calls: { type: "uuid", array: true },
    request_hash: { type: "text", nullable: true, from: "digest" },
    created_at: { type: "timestamptz", default: "now()" },
    is_from_alert: { type: "boolean", default: "false" },
  },
  constraints: ["UNIQUE (session_id, ordinal)"],
  grants: { api: ADD, executor: READ },
  purge: { kind: "session" },
  past: { since: "kept" },
});

/** An agent has read a message. */
export const STEERING_DELIVERIES = table({
  name: "steering_deliveries",
  columns: {
    message_id: { type: "uuid", primary: true },
    execution_id: { type: "uuid", primary: true },
    session_id: OF_SESSION,
    delivered_at: { type: "timestamptz", default: "now()" },
  },
  indexes: ["steering_deliveries_session (session_id)"],
  grants: { api: ADD, executor: ADD },
  purge: { kind: "session" },
  past: { since: "kept" },
});
