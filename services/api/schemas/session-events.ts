import { Type } from "#shared/generated/typebox/typebox.mjs";
import { WireEventSchema } from "#shared/contracts/wire-event-schema.ts";
import { Uuid } from "#shared/contracts/uuid.ts";

/** `GET /api/v1/sessions/:id/events?…` */
export const EventsQuery = Type.Object({
  after_seq: Type.Integer({
    minimum: 0,
    maximum: 2_147_483_647,
    default: 0,
    description: "only events after this one",
  }),
  until_seq: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 2_147_483_647,
      description: "only events up to this one, which the session must have; a stream ends with it",
    }),
  ),
  limit: Type.Integer({
    minimum: 1,
    maximum: 1_000,
    default: 200,
    description: "at most this many, and fewer if they exceed 8 MiB",
  }),
  follow: Type.Optional(
    Type.Enum(["session", "all"], {
      description: "for event streams: `all` goes on after the session's end, e.g. with answers in its chat",
    }),
  ),
});

export const EventsResponse = Type.Object({
  session_id: Uuid,
  events: Type.Array(WireEventSchema),
  last_seq: Type.Integer({ minimum: 0 }),
  has_more: Type.Boolean(),
});

export const EventsHeaders = Type.Object({
  "Last-Event-ID": Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 2_147_483_647,
      description: "for event streams: takes precedence over after_seq",
    }),
  ),
});
