import type { NumberedEvent } from "./session-message.ts";
import { endOfStep } from "./steps.ts";

/** The number of the event with which the step ends that completed an entry; undefined while no event names the entry. */
export function endOfEntry(events: readonly NumberedEvent[], entryId: string): number | undefined {
  const last = events.findLast((event) => isAbout(event, entryId));
  return last && endOfStep(events, last.seq);
}

function isAbout(event: NumberedEvent, entryId: string): boolean {
  switch (event.type) {
    case "timeline_event.created": {
      const call = new Map<string, unknown>(Object.entries(event.metadata ?? {})).get("call_event_id");
      return event.event_id === entryId || call === entryId;
    }
    case "timeline_event.completed":
      return event.event_id === entryId;
    case "approval.requested":
    case "approval.decided":
      return event.approval_id === entryId;
    default:
      return false;
  }
}
