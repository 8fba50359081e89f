import { Type } from "#shared/generated/typebox/typebox.mjs";
import { literals } from "#shared/contracts/literals.ts";
import { TIMELINE_EVENT_TYPES, TIMELINE_STATUSES } from "#shared/contracts/statuses.ts";
import { Uuid } from "#shared/contracts/uuid.ts";
import { AnyObject, Time } from "../http/common-schemas.ts";

export const TimelineEvent = Type.Object(
  {
    event_id: Uuid,
    session_id: Uuid,
    stage_id: Uuid,
    execution_id: Uuid,
    parent_execution_id: Type.Optional(Uuid),
    sequence_number: Type.Integer({ minimum: 1 }),
    created_at: Time,
    updated_at: Time,
    event_type: literals(TIMELINE_EVENT_TYPES),
    status: literals(TIMELINE_STATUSES),
    content: Type.String(),
    metadata: Type.Optional(AnyObject),
    llm_interaction_id: Type.Optional(Uuid),
    mcp_interaction_id: Type.Optional(Uuid),
    seq: Type.Optional(Type.Integer({ minimum: 0 })),
  },
  { title: "TimelineEvent" },
);

/** An entry of the timeline as clients of the contract see it. */
const TimelineEntry = Type.Object(
  {
    id: Uuid,
    ...TimelineEvent.properties,
    stage_id: Type.Optional(Uuid),
    execution_id: Type.Optional(Uuid),
    content: Type.Optional(Type.String({ description: "absent where empty" })),
    edges: Type.Object({}),
  },
  { title: "TimelineEntry" },
);

/** `GET /api/v1/sessions/:id/timeline` */
export const TimelineResponse = Type.Array(TimelineEntry);
