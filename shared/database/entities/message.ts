import { EntitySchema } from "typeorm";
import { MESSAGE_ROLES, type MessageRole } from "#shared/contracts/statuses.ts";

/** A structured call as the model asked for it; `arguments` is JSON text. */
export interface MessageToolCall {
  id: string;
  name: string;
  arguments: string;
}

/** One message of an execution's conversation, exactly as the model was or will be sent it. */
export interface Message {
  message_id: string;
  session_id: string;
  stage_id: string;
  execution_id: string;
  /** From 1 within the execution, independent of the timeline's numbers. */
  sequence_number: number;
  role: MessageRole;
  content: string;
  /** Only on assistant messages. */
  tool_calls: MessageToolCall[] | null;
  /** Both only on, and always on, tool messages. */
  tool_call_id: string | null;
  tool_name: string | null;
  /** Opaque bytes the gateway returned with an assistant message and gets back with it (thought signatures). */
  provider_state: Buffer | null;
  created_at: Date;
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
  },
});
