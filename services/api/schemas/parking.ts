import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { PARKED_BY } from "#shared/contracts/parked-by.ts";
import { Uuid } from "#shared/contracts/uuid.ts";

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

export const ParkResponse = Type.Object(
  {
    session_id: Uuid,
    status: Type.Enum(["parking", "parked"], {
      description: "`parking`: it will be parked after its current step, within seconds",
    }),
    message: Type.String(),
  },
  { title: "ParkedSession" },
);

export const ResumeResponse = Type.Object(
  {
    session_id: Uuid,
    status: Type.Enum(["resuming", "not_parked"], {
      description: "`resuming`: it resumes when a slot is free",
    }),
    message: Type.String(),
  },
  { title: "ResumedSession" },
);
