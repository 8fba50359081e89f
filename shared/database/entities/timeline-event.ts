import { EntitySchema } from "typeorm";
import {
  TIMELINE_EVENT_TYPES,
  TIMELINE_STATUSES,
  type TimelineEventType,
  type TimelineStatus,
} from "#shared/contracts/statuses.ts";

/** One entry of the timeline that users watch. `sequence_number` counts from 1 within its execution. */
export interface TimelineEvent {
  event_id: string;
  session_id: string;
  stage_id: string;
  execution_id: string;
  sequence_number: number;
  created_at: Date;
  updated_at: Date;
  event_type: TimelineEventType;
  status: TimelineStatus;
  content: string;
  metadata: object | null;
  llm_interaction_id: string | null;
  mcp_interaction_id: string | null;
  /** The session's newest event after the commit that wrote the row last. */
  seq: number | null;
}

export const TimelineEventEntity = new EntitySchema<TimelineEvent>({
  name: "TimelineEvent",
  tableName: "timeline_events",
  columns: {
    event_id: { type: "uuid", primary: true },
    session_id: { type: "uuid" },
    stage_id: { type: "uuid" },
    execution_id: { type: "uuid" },
    sequence_number: { type: "integer" },
    created_at: { type: "timestamptz", default: () => "now()" },
    updated_at: { type: "timestamptz", default: () => "now()" },
    event_type: { type: "enum", enum: TIMELINE_EVENT_TYPES, enumName: "timeline_event_type" },
    status: { type: "enum", enum: TIMELINE_STATUSES, enumName: "timeline_status", default: "streaming" },
    content: { type: "text" },
    metadata: { type: "jsonb", nullable: true },
    llm_interaction_id: { type: "uuid", nullable: true },
    mcp_interaction_id: { type: "uuid", nullable: true },
    seq: { type: "integer", nullable: true },
  },
});
