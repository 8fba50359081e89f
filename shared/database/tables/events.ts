import { table, ADD, READ, WITH_SESSION } from "#shared/database/tables/table.ts";

/**
 * One row of the event log that subscribers of a session receive. `seq` counts from 1 within it without gaps. A writer
 * has locked the session's runtime row to number them, so the session exists.
 */
export const EVENTS = table({
  name: "events",
  columns: {
    /** Ascending over all sessions; on the wire `db_event_id`, the reference's cursor. */
    id: { type: "bigint", primary: true, ddl: "GENERATED ALWAYS AS IDENTITY" },
    session_id: { type: "uuid" },
    seq: { type: "integer" },
    /** Without the members of the event that are columns: the session's id, and `created_at` as its timestamp. */
    payload: { type: "jsonb", from: "copies" },
    created_at: { type: "timestamptz", default: "now()" },
  },
  constraints: ["UNIQUE (session_id, seq)"],
  grants: { api: ADD, executor: ADD, notifier: READ },
  purge: WITH_SESSION,
});
