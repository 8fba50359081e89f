import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { parseStoredPayload, type StoredEvent, type StoredPayload } from "#shared/contracts/session-event.ts";

/** A stored event as clients receive it, the same over every protocol. */
export type WireEvent = StoredPayload & { readonly seq: number; readonly db_event_id: number };

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
