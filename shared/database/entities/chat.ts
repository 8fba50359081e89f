import { EntitySchema } from "typeorm";

/** The follow-up conversation of a session; at most one. */
interface Chat {
  chat_id: string;
  session_id: string;
  created_at: Date;
  created_by: string | null;
  chain_id: string;
  pod_id: string | null;
  last_interaction_at: Date | null;
}

export const ChatEntity = new EntitySchema<Chat>({
  name: "Chat",
  tableName: "chats",
  columns: {
    chat_id: { type: "uuid", primary: true },
    session_id: { type: "uuid" },
    created_at: { type: "timestamptz", default: () => "now()" },
    created_by: { type: "text", nullable: true },
    chain_id: { type: "text" },
    pod_id: { type: "text", nullable: true },
    last_interaction_at: { type: "timestamptz", nullable: true },
  },
});
