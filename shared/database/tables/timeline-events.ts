import { table, ADD, OF_EXECUTION, WITH_EXECUTION, type Row } from "#shared/database/tables/table.ts";
import { TIMELINE_EVENT_TYPES, TIMELINE_STATUSES } from "#shared/contracts/statuses.ts";

/** One entry of the timeline that users watch. `sequence_number` counts from 1 within its execution. */
export const TIMELINE_EVENTS = table({
  name: "timeline_events",
  columns: {
    event_id: { type: "uuid", primary: true },
    session_id: { type: "uuid" },
    stage_id: { type: "uuid" },
    execution_id: OF_EXECUTION,
    sequence_number: { type: "integer" },
    created_at: { type: "timestamptz", default: "now()" },
    updated_at: { type: "timestamptz", default: "now()", set: "executor" },
    event_type: { type: "enum", enum: TIMELINE_EVENT_TYPES, enumName: "timeline_event_type" },
    status: {
      type: "enum",
      enum: TIMELINE_STATUSES,
      enumName: "timeline_status",
      default: "'streaming'",
      set: "executor",
    },
    content: { type: "text", from: "copies", set: "executor" },
    metadata: { type: "jsonb", nullable: true, from: "copies", set: "executor" },
    llm_interaction_id: { type: "uuid", nullable: true, set: "executor" },
    mcp_interaction_id: { type: "uuid", nullable: true, set: "executor" },
    /** The session's newest event after the commit that inserted the row, and after the one that wrote it last. */
    first_seq: { type: "integer", nullable: true, hidden: true },
    seq: { type: "integer", nullable: true, set: "executor" },
  },
  constraints: ["UNIQUE (execution_id, sequence_number)"],
  indexes: ["timeline_events_session (session_id, sequence_number)"],
  storage: "fillfactor = 80",
  grants: {
    api: ADD,
    executor: ADD,
    notifier: {
      select: [
        "event_id",
        "session_id",
        "execution_id",
        "sequence_number",
        "event_type",
        "status",
        "mcp_interaction_id",
        "created_at",
      ],
    },
  },
  purge: WITH_EXECUTION,
  past: {
    since: "first_seq",
    changing: [["metadata"]],
  },
});

export type TimelineEvent = Row<typeof TIMELINE_EVENTS>;
