import { allLanesOf, type TimelineEntry, type SessionView } from "./session-view.ts";
import { findAll } from "./result-pages.ts";

/** The entries in which a word is, in the order of the screen: their text, their arguments, their tool. */
export function searchSession(view: SessionView, word: string): readonly TimelineEntry[] {
  const wanted = word.trim();
  if (wanted === "") return [];
  return allLanesOf(view)
    .flatMap(({ entries }) => entries)
    .filter((entry) => textsOf(entry).some((text) => findAll(text, wanted).length > 0));
}

function textsOf({ content, call, approval }: TimelineEntry): readonly string[] {
  if (call !== undefined) return [`${call.server}.${call.tool}`, call.arguments, content];
  if (approval !== undefined) return [approval.tool, approval.arguments, approval.reason ?? ""];
  return [content];
}
