import { table, ADD, READ } from "#shared/database/tables/table.ts";

/** The follow-up conversation of a session; at most one. */
export const CHATS = table({
  name: "chats",
  columns: {
    chat_id: { type: "uuid", primary: true },
    session_id: { type: "uuid", ddl: "UNIQUE REFERENCES alert_sessions ON DELETE CASCADE" },
    created_at: { type: "timestamptz", default: "now()" },
    created_by: { type: "text", nullable: true, from: "caller" },
    chain_id: { type: "text", from: "config" },
    pod_id: { type: "text", nullable: true, from: "ours" },
    last_interaction_at: { type: "timestamptz", nullable: true },
  },
  indexes: ["chats_created (created_at)"],
  grants: { api: ADD, executor: READ },
  purge: { kind: "session" },
  past: { since: "kept" },
});

/** A question asked in a chat; the stage that answers it references it. */
export const CHAT_USER_MESSAGES = table({
  name: "chat_user_messages",
  columns: {
    message_id: { type: "uuid", primary: true },
    chat_id: { type: "uuid", ddl: "REFERENCES chats ON DELETE CASCADE" },
    content: { type: "text", from: "person" },
    author: { type: "text", from: "caller" },
    created_at: { type: "timestamptz", default: "now()" },
  },
  indexes: ["chat_user_messages_chat (chat_id, created_at)"],
  grants: { api: ADD, executor: READ },
  purge: { kind: "session" },
});
