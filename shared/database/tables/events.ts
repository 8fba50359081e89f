import { table, ADD, READ } from "#shared/database/tables/table.ts";

/**
 * One row of the event log that subscribers of a session receive. `seq` counts from 1 within it without gaps. It has no foreign key,
 * which would be a query for each row: a writer has locked the session's runtime row to number them, so the session exists. The trigger that
 * deletes a session's `row_history` deletes them.
 */
export const EVENTS = table({
  name: "events",
  columns: {
    /** Ascending over all sessions; on the wire `db_event_id`, the reference's cursor. */
    id: { type: "bigint", primary: true, ddl: "GENERATED ALWAYS AS IDENTITY" },
    session_id: { type: "uuid" },
    seq: { type: "integer", ddl: "CHECK (seq > 0)" },
    /** Without the members of the event that are columns: the session's id, and `created_at` as its timestamp. */
    payload: { type: "jsonb", from: "copies" },
    created_at: { type: "timestamptz", default: "now()" },
  },
  constraints: ["UNIQUE (session_id, seq)"],
  grants: { api: ADD, executor: ADD, notifier: READ },
  purge: { kind: "own", by: "what removes the session, and a trigger for what is left" },
});
