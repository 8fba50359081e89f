import { findCandidates } from "./citation-terms.ts";
import { TermFinder } from "./find-terms.ts";
import type { TimelineEntry } from "./session-view.ts";

/** Of all results together so much is read, in UTF-16 code units. */
const MAX_READ = 16 * 1024 * 1024;
/** Of one result. */
const MAX_READ_OF_ONE = 1024 * 1024;

/** Which entry a text names: by the words that name it. */
type Sources = ReadonlyMap<string, TimelineEntry>;

/** An entry in which a term is, for each way in which it can be there; undefined for more than one. */
interface Places {
  inCall: TimelineEntry | undefined | null;
  inResult: TimelineEntry | undefined | null;
}

/**
 * The tool calls that texts of models name: by a file, by a tool, or by words that they quote. A term that would name two calls names
 * none; the same call made twice is one. What is found is a guess: models write as they like.
 * @param texts conclusions, in Markdown
 * @param entries those of the session, in any order; all but tool calls are left out
 */
export function findSources(texts: readonly string[], entries: readonly TimelineEntry[]): Sources {
  const calls = entries.filter(({ call, status }) => call !== undefined && status !== "streaming");
  const { names, quotes } = findCandidates(texts, toolNames(calls));
  const places = new Map<string, Places>();
  const placesOf = (term: string) => {
    const known = places.get(term) ?? { inCall: undefined, inResult: undefined };
    places.set(term, known);
    return known;
  };
  for (const call of calls) {
    for (const name of namesOf(call)) {
      if (names.has(name)) add(placesOf(name), "inCall", call);
    }
  }
  const finder = new TermFinder([...names, ...quotes]);
  let left = MAX_READ;
  for (const call of calls) {
    finder.find(call.call?.arguments ?? "", (_at, term) => add(placesOf(term), "inCall", call));
    const result = call.content.slice(0, Math.min(MAX_READ_OF_ONE, left));
    left -= result.length;
    finder.find(result, (_at, term) => add(placesOf(term), "inResult", call));
  }
  const sources = new Map<string, TimelineEntry>();
  // What is not read to its end may name two.
  if (finder.isExhausted) return sources;
  for (const [term, { inCall, inResult }] of places) {
    // A file is named by the call that reads it, words are quoted from what it returned.
    const [first, second] = names.has(term) ? [inCall, inResult] : [inResult, inCall];
    const entry = first === undefined ? second : first;
    if (entry !== undefined && entry !== null) sources.set(term, entry);
  }
  return sources;
}

function add(places: Places, where: keyof Places, entry: TimelineEntry): void {
  const known = places[where];
  if (known === undefined) places[where] = entry;
  else if (known !== null && !isSameCall(known, entry)) places[where] = null;
  else if (known !== null && isBetter(entry, known)) places[where] = entry;
}

function isSameCall({ call: one }: TimelineEntry, { call: other }: TimelineEntry): boolean {
  return one?.server === other?.server && one?.tool === other?.tool && one?.arguments === other?.arguments;
}

/** Of the same call, repeated, one that succeeded counts, and the last of those with another result. */
function isBetter(entry: TimelineEntry, known: TimelineEntry): boolean {
  if (entry.status !== "completed") return false;
  return known.status !== "completed" || entry.content !== known.content;
}

function namesOf({ call }: TimelineEntry): readonly string[] {
  return call === undefined ? [] : [call.tool, `${call.server}.${call.tool}`];
}

function toolNames(calls: readonly TimelineEntry[]): ReadonlySet<string> {
  return new Set(calls.flatMap(namesOf));
}
