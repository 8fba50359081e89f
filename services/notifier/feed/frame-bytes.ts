import type { EventFrame } from "../outbox/frames.ts";

/** What an event costs in memory beside its frame, about. */
const OBJECT_BYTES = 300;

/** The memory that an event in its frame takes, about. */
export function frameBytes({ frame }: EventFrame): number {
  return frame.length + OBJECT_BYTES;
}
