import { PARKED_BY } from "#shared/contracts/statuses.ts";
import { Uuid } from "#shared/contracts/uuid.ts";
import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { SessionParams } from "../http/common-schemas.ts";
import type { Endpoints } from "../http/endpoint.ts";

/** Of a session that is parked, or asked to park. */
export const Parked = Type.Object(
  {
    by: Type.Enum(PARKED_BY, {
      description: "`priority`: it gave its place to a critical session; `operator`: a person parked it",
    }),
    actor: Type.Optional(Type.String({ description: "the name of the person" })),
    reason: Type.Optional(Type.String()),
    requested_at: Type.String(),
    at: Type.Optional(
      Type.String({ description: "since when it is parked; absent while its running step comes to an end" }),
    ),
    until: Type.Optional(
      Type.String({
        description: "it goes on by itself then at the latest; absent: as soon as there is a place",
      }),
    ),
  },
  { title: "Parked" },
);
export type Parked = Static<typeof Parked>;

const MAX_PARK_REASON_CHARACTERS = 1_000;

/** The body of `POST /api/v1/sessions/:id/park`; none is as good as an empty one. */
export const ParkBody = Type.Object(
  {
    reason: Type.Optional(
      Type.Union([Type.String({ maxLength: MAX_PARK_REASON_CHARACTERS }), Type.Null()], {
        description: "why, for people",
      }),
    ),
  },
  { title: "Park" },
);

const ParkResponse = Type.Object(
  {
    session_id: Uuid,
    status: Type.Enum(["parking", "parked"], {
      description: "`parking`: it will be parked after its current step, within seconds",
    }),
    message: Type.String(),
  },
  { title: "ParkedSession" },
);

const ResumeResponse = Type.Object(
  {
    session_id: Uuid,
    status: Type.Enum(["resuming", "not_parked"], {
      description: "`resuming`: it resumes when a slot is free",
    }),
    message: Type.String(),
  },
  { title: "ResumedSession" },
);

/** Sessions that give their place up. */
export const PARKING = {
  parkSession: {
    method: "post",
    path: "/api/v1/sessions/:id/park",
    action: "session.park",
    tag: "sessions",
    summary: "Have a session give its place up until it is resumed, for at most seven days",
    params: SessionParams,
    body: { schema: ParkBody, example: { reason: "the database team is at it" } },
    responses: { 200: { description: "parked, or soon; the same for one that was", schema: ParkResponse } },
    errors: [409],
  },
  resumeSession: {
    method: "post",
    path: "/api/v1/sessions/:id/resume",
    action: "session.resume",
    tag: "sessions",
    summary: "Let a parked session go on as soon as there is a place for it",
    params: SessionParams,
    responses: { 200: { description: "the same for one that is not parked", schema: ResumeResponse } },
    errors: [409],
  },
} as const satisfies Endpoints;
