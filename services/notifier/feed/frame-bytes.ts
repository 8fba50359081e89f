import type { EventFrame } from "../outbox/frames.ts";

/** The approximate memory of an event beside its frame. */
const OBJECT_BYTES = 300;

/** The memory that an event in its frame takes, about. */
export function frameBytes({ frame }: EventFrame): number {
  return frame.length + OBJECT_BYTES;
}
