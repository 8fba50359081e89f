import type { SessionEvent, SessionEventPayload } from "#shared/contracts/session-event.ts";

/** A stored event as every client gets it, whichever way it asked. */
export type WireEvent = SessionEventPayload & { readonly seq: number; readonly db_event_id: number };

/** An event's payload with its number within the session and the cursor over all sessions. */
export function wireEvent({ payload, seq, db_event_id }: SessionEvent): WireEvent {
  return { ...payload, seq, db_event_id };
}
