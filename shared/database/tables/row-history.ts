import { table, WITH_SESSION } from "#shared/database/tables/table.ts";

/** What commits have overwritten of a session's rows; the triggers of `past-triggers.ts` write it. */
export const ROW_HISTORY = table({
  name: "row_history",
  columns: {
    /** The order of changes within one commit; no index serves it. */
    id: { type: "bigint", ddl: "GENERATED ALWAYS AS IDENTITY" },
    session_id: { type: "uuid" },
    row_key: { type: "uuid" },
    /** The session's newest event after the commit. */
    seq: { type: "integer" },
    table_name: { type: "text", from: "ours" },
    /** The overwritten columns of the row; null: the row did not exist. */
    before: { type: "jsonb", nullable: true, from: "copies" },
  },
  indexes: ["row_history_of_row (session_id, table_name, row_key, seq)"],
  grants: {},
  purge: WITH_SESSION,
});
