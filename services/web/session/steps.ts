import type { NumberedEvent } from "./session-message.ts";

/** What is needed of the events, in order. The events of one commit have the same time. */
type Numbered = Pick<NumberedEvent, "seq" | "timestamp">;

/** The number of the last event of the step that event `seq` belongs to; `seq` itself if that event is not known. */
export function endOfStep(events: readonly Numbered[], seq: number): number {
  const first = indexOf(events, seq);
  const own = events[first];
  if (own?.seq !== seq) return seq;
  let last = own;
  for (let index = first + 1; index < events.length; index += 1) {
    const event = events[index];
    if (event?.timestamp !== own.timestamp) break;
    last = event;
  }
  return last.seq;
}

/** Where the step before the one of event `seq` ends; undefined in the first step. */
export function endBefore(events: readonly Numbered[], seq: number): number | undefined {
  const end = endOfStep(events, seq);
  const own = events[indexOf(events, seq)];
  return events.findLast((event) => event.seq < end && event.timestamp !== own?.timestamp)?.seq;
}

/** Where the step of event `seq` ends, or the next one if it ends there; undefined behind the last step. */
export function nextEnd(events: readonly Numbered[], seq: number): number | undefined {
  const end = endOfStep(events, seq);
  if (end > seq) return end;
  const next = events.find((event) => event.seq > seq);
  return next && endOfStep(events, next.seq);
}

/** The position of event `seq`; of the next one if the page does not know it. */
function indexOf(events: readonly Numbered[], seq: number): number {
  let [low, high] = [0, events.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((events[middle]?.seq ?? 0) < seq) low = middle + 1;
    else high = middle;
  }
  return low;
}
