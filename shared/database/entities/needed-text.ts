import { EntitySchema } from "typeorm";

/** A text that a session needs. */
interface NeededText {
  session_id: string;
  hash: string;
}

export const NeededTextEntity = new EntitySchema<NeededText>({
  name: "NeededText",
  tableName: "needed_texts",
  columns: {
    session_id: { type: "uuid", primary: true },
    hash: { type: "text", primary: true },
  },
});
