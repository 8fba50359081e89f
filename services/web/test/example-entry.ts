import type { TimelineEntry } from "../session/session-view.ts";

/** A completed thought, with the given members instead of its own. */
export function exampleEntry(members: Partial<TimelineEntry> = {}): TimelineEntry {
  return {
    id: "a",
    type: "llm_thinking",
    executionId: "x",
    seq: 1,
    sequence: 1,
    status: "completed",
    content: "hm",
    metadata: {},
    startedAt: "2026-01-31T12:00:00.000Z",
    endedAt: "2026-01-31T12:00:01.000Z",
    durationMs: undefined,
    call: undefined,
    approval: undefined,
    ...members,
  };
}
