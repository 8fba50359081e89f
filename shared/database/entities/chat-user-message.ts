import { EntitySchema } from "typeorm";

/** A question asked in a chat; the stage that answers it references it. */
interface ChatUserMessage {
  message_id: string;
  chat_id: string;
  content: string;
  author: string;
  created_at: Date;
}

export const ChatUserMessageEntity = new EntitySchema<ChatUserMessage>({
  name: "ChatUserMessage",
  tableName: "chat_user_messages",
  columns: {
    message_id: { type: "uuid", primary: true },
    chat_id: { type: "uuid" },
    content: { type: "text" },
    author: { type: "text" },
    created_at: { type: "timestamptz", default: () => "now()" },
  },
});
