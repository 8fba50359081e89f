import { EntitySchema } from "typeorm";

/** A text by what it says, such as the body of a skill. */
interface StoredText {
  /** SHA-256 of the body in hex. */
  hash: string;
  body: string;
  /** When it was last needed by a new session, give or take an hour. */
  used_at: Date;
}

export const TextEntity = new EntitySchema<StoredText>({
  name: "Text",
  tableName: "texts",
  columns: {
    hash: { type: "text", primary: true },
    body: { type: "text" },
    used_at: { type: "timestamptz", default: () => "now()" },
  },
});
