import { EntitySchema } from "typeorm";
import { MESSAGE_ROLES, type MessageRole } from "#shared/contracts/statuses.ts";

/** A structured tool call by the model; `arguments` is JSON text. */
interface MessageToolCall {
  id: string;
  name: string;
  arguments: string;
}

/** One message of an execution's conversation, exactly as it is sent to the model. */
export interface Message {
  message_id: string;
  session_id: string;
  stage_id: string;
  execution_id: string;
  /** Counts from 1 within the execution, independent of the timeline's numbers. */
  sequence_number: number;
  role: MessageRole;
  content: string;
  /** Only on assistant messages. */
  tool_calls: MessageToolCall[] | null;
  /** Both are set on every tool message and on no other. */
  tool_call_id: string | null;
  tool_name: string | null;
  /** Opaque bytes (thought signatures) that the gateway returned with an assistant message and is sent back with it. */
  provider_state: Buffer | null;
  created_at: Date;
  /** The session's newest event after the commit that wrote the row last. */
  seq: number | null;
}

export const MessageEntity = new EntitySchema<Message>({
  name: "Message",
  tableName: "messages",
  columns: {
    message_id: { type: "uuid", primary: true },
    session_id: { type: "uuid" },
    stage_id: { type: "uuid" },
    execution_id: { type: "uuid" },
    sequence_number: { type: "integer" },
    role: { type: "enum", enum: MESSAGE_ROLES, enumName: "message_role" },
    content: { type: "text" },
    tool_calls: { type: "jsonb", nullable: true },
    tool_call_id: { type: "text", nullable: true },
    tool_name: { type: "text", nullable: true },
    provider_state: { type: "bytea", nullable: true },
    created_at: { type: "timestamptz", default: () => "now()" },
    seq: { type: "integer", nullable: true },
  },
});
