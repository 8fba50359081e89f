import { Type, type TSchema } from "#shared/generated/typebox/typebox.mjs";
import type { WireEvent } from "#shared/contracts/wire-event.ts";
import { LaterPayload, SessionEventPayload } from "#shared/contracts/session-event.ts";

const numbers = {
  seq: Type.Integer({ minimum: 1, description: "counts from 1 within the session, without a gap" }),
  db_event_id: Type.Integer({ minimum: 1, description: "ascends over all sessions" }),
};

/** The schema of a stored event as clients receive it, over every protocol: the payload and its two numbers. */
export const WireEventSchema = Type.Unsafe<WireEvent>(
  Type.Union(
    [
      ...SessionEventPayload.anyOf.map((payload) =>
        Type.Object({ ...payload.properties, ...numbers }, { title: titleOf(payload.properties.type) }),
      ),
      Type.Object(
        { ...LaterPayload.properties, ...numbers },
        {
          title: "LaterEvent",
          description: "of a type that a later version adds: clients ignore it",
          additionalProperties: true,
        },
      ),
    ],
    { title: "StoredEvent" },
  ),
);

/** `session.status` becomes `SessionStatusEvent`; a payload of several types is named after the first. */
function titleOf(type: TSchema): string {
  const first = /"const":"([^"]+)"/u.exec(JSON.stringify(type))?.[1] ?? "";
  const words = first.split(/[._]/u).map((word) => word.slice(0, 1).toUpperCase() + word.slice(1));
  return `${words.join("")}Event`;
}
