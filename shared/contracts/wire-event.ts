import { Type, type TSchema } from "#shared/generated/typebox/typebox.mjs";
import {
  LaterPayload,
  SessionEventPayload,
  parseStoredPayload,
  type StoredEvent,
  type StoredPayload,
} from "#shared/contracts/session-event.ts";
import { compileParser } from "#shared/contracts/compile-parser.ts";

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

/** A stored event as clients receive it, the same over every protocol. */
type WireEvent = StoredPayload & { readonly seq: number; readonly db_event_id: number };

/** Adds the number within the session (`seq`) and the cursor over all sessions (`db_event_id`) to the payload. */
export function wireEvent({ payload, seq, db_event_id }: StoredEvent): WireEvent {
  return { ...payload, seq, db_event_id };
}

const parseNumbers = compileParser(
  "numbers of an event",
  Type.Object({ seq: Type.Integer(), db_event_id: Type.Integer() }, { additionalProperties: true }),
);

/** The stored event that a message was made from; throws TerminalError `malformed`. */
export function eventOfWire(message: unknown): Omit<StoredEvent, "session_id"> {
  const { seq, db_event_id, ...payload } = parseNumbers(message);
  return { seq, db_event_id, payload: parseStoredPayload(payload) };
}
