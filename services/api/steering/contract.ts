import { literals } from "#shared/contracts/literals.ts";
import { STEERING_MODES } from "#shared/contracts/statuses.ts";
import { Uuid } from "#shared/contracts/uuid.ts";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import { Time, SessionParams } from "../http/common-schemas.ts";
import type { Endpoints } from "../http/endpoint.ts";

/** The longest text of a message to the agents of a session. */
const MAX_STEERING_CHARACTERS = 4_000;

const Nullable = <S extends Parameters<typeof Type.Union>[0][number]>(schema: S) =>
  Type.Union([schema, Type.Null()]);

/** The body of `POST /api/v1/sessions/:id/messages`. Unknown members are ignored. */
export const SteeringBody = Type.Object({
  mode: literals(STEERING_MODES),
  content: Type.Optional(
    Nullable(
      Type.String({
        maxLength: MAX_STEERING_CHARACTERS,
        description: "for the agents; required for a note",
      }),
    ),
  ),
  execution_id: Type.Optional(
    Nullable({
      ...Uuid,
      description:
        "the one agent that it is for; by default all that run or, if none does, those that start next",
    }),
  ),
});

const SteeringResponse = Type.Object(
  {
    session_id: Uuid,
    message_id: Uuid,
    mode: literals(STEERING_MODES),
    execution_ids: Nullable(
      Type.Array(Uuid, { description: "the agents that get it; null: those that start next" }),
    ),
  },
  { title: "SteeringAccepted" },
);

/** A message that an agent has not read yet. */
export const UnreadSteering = Type.Object(
  {
    message_id: Uuid,
    mode: literals(STEERING_MODES),
    content: Type.Optional(Type.String()),
    author: Type.String(),
    created_at: Time,
    execution_ids: Nullable(
      Type.Array(Uuid, { description: "who has yet to read it; null: those that start next" }),
    ),
  },
  { title: "UnreadSteering" },
);

/** Messages of people to the agents of a running session. */
export const STEERING = {
  steerSession: {
    method: "post",
    path: "/api/v1/sessions/:id/messages",
    action: "session.steer",
    tag: "sessions",
    summary:
      "Tell the agents of a running session something, have them conclude, or skip their running tool calls",
    params: SessionParams,
    body: {
      schema: SteeringBody,
      example: { mode: "note", content: "The deployment at 14:02 was rolled back." },
    },
    responses: {
      202: { description: "stored; the agents read it before their next step", schema: SteeringResponse },
    },
    errors: [409, 422],
  },
} as const satisfies Endpoints;
