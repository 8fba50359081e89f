import { EntitySchema } from "typeorm";
import type { SessionEventPayload } from "#shared/contracts/session-event.ts";

/** One row of the event log that subscribers of a session receive. `seq` counts from 1 within it without gaps. */
interface Event {
  /** Ascending over all sessions; on the wire `db_event_id`, the reference's cursor. */
  id: number;
  session_id: string;
  seq: number;
  payload: SessionEventPayload;
  created_at: Date;
}

export const EventEntity = new EntitySchema<Event>({
  name: "Event",
  tableName: "events",
  columns: {
    id: { type: "bigint", primary: true, generated: "increment" },
    session_id: { type: "uuid" },
    seq: { type: "integer" },
    payload: { type: "jsonb" },
    created_at: { type: "timestamptz", default: () => "now()" },
  },
});
