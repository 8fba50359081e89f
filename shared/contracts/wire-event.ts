import type { SessionEvent, SessionEventPayload } from "#shared/contracts/session-event.ts";

/** A stored event as clients receive it, the same over every protocol. */
type WireEvent = SessionEventPayload & { readonly seq: number; readonly db_event_id: number };

/** Adds the number within the session (`seq`) and the cursor over all sessions (`db_event_id`) to the payload. */
export function wireEvent({ payload, seq, db_event_id }: SessionEvent): WireEvent {
  return { ...payload, seq, db_event_id };
}
