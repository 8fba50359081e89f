import { shownEntries } from "./describe-entry.ts";
import { lanesOf, type TimelineEntry, type SessionView } from "./session-view.ts";

/** The tool calls that failed and the errors of agents, in the order of the screen. */
export function failedEntries(view: Pick<SessionView, "stages">): readonly TimelineEntry[] {
  return lanesOf(view).flatMap((lane) =>
    shownEntries(lane).filter(
      ({ type, call, status }) => type === "error" || (call !== undefined && status === "failed"),
    ),
  );
}
