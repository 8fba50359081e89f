import { EntitySchema } from "typeorm";

/** What became of the runbook that a session's alert names. */
interface SessionRunbook {
  session_id: string;
  /** Of its text in `texts`. */
  hash: string | null;
  /** Why there is no text. */
  failure: string | null;
  settled_at: Date;
}

export const SessionRunbookEntity = new EntitySchema<SessionRunbook>({
  name: "SessionRunbook",
  tableName: "session_runbooks",
  columns: {
    session_id: { type: "uuid", primary: true },
    hash: { type: "text", nullable: true },
    failure: { type: "text", nullable: true },
    settled_at: { type: "timestamptz", default: () => "now()" },
  },
});
