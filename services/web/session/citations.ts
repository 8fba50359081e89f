import { findCandidates } from "./citation-terms.ts";
import { TermFinder } from "./find-terms.ts";
import type { Entry } from "./session-view.ts";

/** Of all results together so much is read, in UTF-16 code units. */
const MAX_READ = 16 * 1024 * 1024;
/** Of one result. */
const MAX_READ_OF_ONE = 1024 * 1024;

/** Which entry a text names: by the words that name it. */
export type Sources = ReadonlyMap<string, Entry>;

/** An entry in which a term is, for each way in which it can be there; undefined for more than one. */
interface Places {
  inCall: Entry | undefined | null;
  inResult: Entry | undefined | null;
}

/**
 * The tool calls that texts of models name: by a file, by a tool, or by words that they quote. A term that would name two calls names
 * none; the same call made twice is one, and its first entry is named. What is found is a guess: models write as they like.
 * @param texts conclusions, in Markdown
 * @param entries those of the session, in any order; all but tool calls are left out
 */
export function findSources(texts: readonly string[], entries: readonly Entry[]): Sources {
  const calls = firstCalls(entries);
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
  const sources = new Map<string, Entry>();
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

function add(places: Places, where: keyof Places, entry: Entry): void {
  if (places[where] === undefined) places[where] = entry;
  else if (places[where] !== entry) places[where] = null;
}

/** Of calls with the same tool and arguments the first. */
function firstCalls(entries: readonly Entry[]): readonly Entry[] {
  const calls = new Map<string, Entry>();
  for (const entry of entries) {
    if (entry.call === undefined || entry.status === "streaming") continue;
    const { server, tool, arguments: written } = entry.call;
    const key = JSON.stringify([server, tool, written]);
    if (!calls.has(key)) calls.set(key, entry);
  }
  return [...calls.values()];
}

function namesOf({ call }: Entry): readonly string[] {
  return call === undefined ? [] : [call.tool, `${call.server}.${call.tool}`];
}

function toolNames(calls: readonly Entry[]): ReadonlySet<string> {
  return new Set(calls.flatMap(namesOf));
}
