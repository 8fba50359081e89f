import { table, ADD, OF_EXECUTION, WITH_EXECUTION, type Row } from "#shared/database/tables/table.ts";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import { MESSAGE_ROLES } from "#shared/contracts/statuses.ts";

/** Structured tool calls by the model; `arguments` is JSON text. */
const ToolCalls = Type.Array(
  Type.Object({ id: Type.String(), name: Type.String(), arguments: Type.String() }),
);

/**
 * One message of an execution's conversation, exactly as it is sent to the model. Rows of an execution belong through it to their stage and
 * session, and are deleted with them.
 */
export const MESSAGES = table({
  name: "messages",
  columns: {
    message_id: { type: "uuid", primary: true },
    session_id: { type: "uuid" },
    stage_id: { type: "uuid" },
    execution_id: OF_EXECUTION,
    /** Counts from 1 within the execution, independent of the timeline's numbers. */
    sequence_number: { type: "integer" },
    role: { type: "enum", enum: MESSAGE_ROLES, enumName: "message_role" },
    /** A summary replaces the shown part of a large result before a model gets it. */
    content: { type: "text", from: "copies", set: "executor" },
    /** Only on assistant messages. */
    tool_calls: { type: "jsonb", json: ToolCalls, nullable: true, from: "arguments" },
    /** Both are set on every tool message and on no other. */
    tool_call_id: { type: "text", nullable: true, from: "model" },
    /** It, the call's id and the provider's state are left out where arguments were masked. */
    tool_name: { type: "text", nullable: true, from: "model" },
    /** Opaque bytes (thought signatures) that the gateway returned with an assistant message and is sent back with it. */
    provider_state: { type: "bytea", nullable: true, from: "model" },
    created_at: { type: "timestamptz", default: "now()" },
    /** The session's newest event after the commit that wrote the row last. */
    seq: { type: "integer", nullable: true, set: "executor" },
  },
  constraints: [
    "UNIQUE (execution_id, sequence_number)",
    "CONSTRAINT content_or_calls CHECK (content <> '' OR tool_calls IS NOT NULL OR role = 'tool')",
    "CONSTRAINT calls_on_assistant CHECK (tool_calls IS NULL OR role = 'assistant')",
    "CONSTRAINT result_on_tool CHECK ((role = 'tool') = (tool_call_id IS NOT NULL) AND (role = 'tool') = (tool_name IS NOT NULL))",
  ],
  indexes: ["messages_session (session_id)"],
  grants: { api: ADD, executor: ADD },
  purge: WITH_EXECUTION,
  past: { since: "seq", changing: [{ columns: ["content", "seq"], by: ["content"] }] },
});

export type Message = Row<typeof MESSAGES>;
