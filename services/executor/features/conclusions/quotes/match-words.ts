import { DIFFERENT, compareWords, mayDiffer, type QuoteWord } from "./compare-words.ts";
import { mayBeLeftOut, mayLeaveOutLines } from "./left-out.ts";
import { isNegated } from "./negation.ts";
import { Differences, type QuoteMatch } from "./quote-match.ts";
import { hasUnit } from "./operators.ts";
import type { WordList } from "./word-list.ts";
import type { WorkLimit } from "./work-limit.ts";

/** Words of a source; `to` is excluded. */
export interface WordRange {
  readonly from: number;
  readonly to: number;
}

/** Where to look: at the place nearest to `near`, or within it alone. */
export interface Where {
  readonly near: WordRange | null;
  readonly within: boolean;
}

type Part = readonly QuoteWord[];

/** In comparisons, for the memory of a place and for the ways to reach it. */
const COST_OF_PLACE = 50;

/**
 * Finds the words of a quote in a source, part by part. Between two parts words of one line may be left out, unless one of them
 * negates, or whole lines. Returns the nearest right place, else the first one that a rule refuses, else null.
 */
export function matchWords(
  parts: readonly Part[],
  source: WordList,
  where: Where,
  work: WorkLimit,
): QuoteMatch | null {
  const [first, ...others] = parts;
  if (first === undefined) return null;
  if (others.length === 0) return nearestMatch(matchesOf(first, source, where, work), where);
  const places = parts.map((part) => allPlaces(part, source, work));
  const [ofFirst = [], ...ofOthers] = places;
  const begun = [
    ofFirst.filter((from) => !isNegated(source, { from, to: from + first.length })),
    ...ofOthers,
  ];
  const isAllowed: MayLeaveOut = (gap, isOfLines) =>
    (isOfLines ? mayLeaveOutLines : mayBeLeftOut)(gap, source, work);
  const found = nearestMatch(chains(parts, begun, source, where, isAllowed), where);
  if (found !== null) return found;
  const anyhow = nearestMatch(
    chains(parts, places, source, where, () => true),
    where,
  );
  return anyhow === null ? null : { ...anyhow, refused: anyhow.refused ?? "ellipsis" };
}

/** The first match that no rule refuses, else the first one. */
export function nearestMatch(matches: Iterable<QuoteMatch>, { near, within }: Where): QuoteMatch | null {
  let refused: QuoteMatch | null = null;
  for (const match of matches) {
    const isOutside = near === null || match.from < near.from || match.to > near.to;
    if (within && isOutside) continue;
    if (match.refused === null) return match;
    refused ??= match;
  }
  return refused;
}

function* matchesOf(
  part: Part,
  source: WordList,
  where: Where,
  work: WorkLimit,
): Generator<QuoteMatch, void> {
  const inOrder = byDistance(candidates(part, source, work), where);
  for (const from of placesOf(part, source, inOrder, work)) yield matchOf([part], [from], source);
}

function matchOf(parts: readonly Part[], places: readonly number[], source: WordList): QuoteMatch {
  const differences = new Differences();
  let refused: QuoteMatch["refused"] = null;
  parts.forEach((part, at) => {
    const place = places[at] ?? 0;
    differences.addAll(part, source, place);
    if (hasUnit(source, place + part.length - 1)) refused = "words";
  });
  const [from = 0] = places;
  const to = (places.at(-1) ?? 0) + (parts.at(-1)?.length ?? 0);
  const words = parts.reduce((sum, { length }) => sum + length, 0);
  refused ??= differences.refused(words) ?? (isNegated(source, { from, to }) ? "negation" : null);
  return { from, to, notes: differences.notes(), refused };
}

/** The places where a part can begin, in order, by its rarest word that can only stand literally. */
function candidates(part: Part, source: WordList, work: WorkLimit): Int32Array {
  const literal = [...part.entries()].filter(([, word]) => !mayDiffer(word));
  const byRarity = literal.toSorted(([, a], [, b]) => source.mostWith(a.hash) - source.mostWith(b.hash));
  for (const [anchor, { hash }] of byRarity) {
    work.spend(source.mostWith(hash));
    const positions = source.positions(hash);
    // A word that the source has not may be one that it has masked.
    if (positions.length === 0 && source.hasMasked) continue;
    return anchor === 0 ? positions : positions.map((at) => at - anchor);
  }
  const [first] = part;
  return first === undefined ? new Int32Array() : Int32Array.from(likeWords(first, source, work));
}

/** The words of a source that a number or a masked word is like. */
function* likeWords(word: QuoteWord, source: WordList, work: WorkLimit): Generator<number, void> {
  work.spend(source.count * 2);
  for (let at = 0; at < source.count; at += 1) {
    if (compareWords(word, source, at) === DIFFERENT) continue;
    work.spend(COST_OF_PLACE);
    yield at;
  }
}

function* placesOf(
  part: Part,
  source: WordList,
  from: Iterable<number>,
  work: WorkLimit,
): Generator<number, void> {
  for (const place of from) {
    if (place < 0 || place + part.length > source.count) continue;
    let at = 0;
    for (const word of part) {
      if (compareWords(word, source, place + at) === DIFFERENT) break;
      at += 1;
    }
    work.spend(3 * (at + 1));
    if (at === part.length) yield place;
  }
}

/** Throws OutOfWork for a part that stands almost everywhere. */
function allPlaces(part: Part, source: WordList, work: WorkLimit): number[] {
  const found: number[] = [];
  for (const place of placesOf(part, source, candidates(part, source, work), work)) {
    work.spend(COST_OF_PLACE);
    found.push(place);
  }
  return found;
}

/** Ascending places, those nearest to where the model says first. */
function* byDistance(places: readonly number[] | Int32Array, { near }: Where): Generator<number, void> {
  if (near === null) {
    yield* places;
    return;
  }
  let after = places.findIndex((place) => place >= near.from);
  if (after === -1) after = places.length;
  let before = after - 1;
  while (before >= 0 || after < places.length) {
    const ahead = Math.max(0, (places[after] ?? Infinity) - near.to + 1);
    const behind = near.from - (places[before] ?? -Infinity);
    if (ahead <= behind) yield places[after++] ?? 0;
    else yield places[before--] ?? 0;
  }
}

/** Words between two parts of a quote that it leaves out; `to` is excluded. */
type MayLeaveOut = (gap: WordRange, isOfLines: boolean) => boolean;

/** The ways to place all parts one behind another, one for each place of the last part. */
function* chains(
  parts: readonly Part[],
  places: readonly (readonly number[])[],
  source: WordList,
  where: Where,
  mayLeaveOut: MayLeaveOut,
): Generator<QuoteMatch, void> {
  /** For each part the places that follow an allowed one, with the place before. */
  const before: Map<number, number>[] = [];
  let reached: readonly number[] = places[0] ?? [];
  for (let at = 1; at < parts.length; at += 1) {
    const followed = follow(reached, parts[at - 1]?.length ?? 0, places[at] ?? [], source, mayLeaveOut);
    before.push(followed);
    reached = [...followed.keys()];
  }
  for (const last of byDistance(reached, where)) {
    const chain = [last];
    for (const followed of before.toReversed()) chain.unshift(followed.get(chain[0] ?? 0) ?? 0);
    yield matchOf(parts, chain, source);
  }
}

/** The places that may follow one of `reached`, each with the last one that it may follow. */
function follow(
  reached: readonly number[],
  length: number,
  places: readonly number[],
  source: WordList,
  mayLeaveOut: MayLeaveOut,
): Map<number, number> {
  const followed = new Map<number, number>();
  let [next, latest, latestAtEnd] = [0, -1, -1];
  for (const place of places) {
    for (let from = reached[next]; from !== undefined && from + length <= place; from = reached[next]) {
      latest = from;
      if (source.isFirstOfLine(from + length)) latestAtEnd = from;
      next += 1;
    }
    if (latest === -1) continue;
    if (mayLeaveOut({ from: latest + length, to: place }, false)) followed.set(place, latest);
    else if (latestAtEnd !== -1 && mayLeaveOut({ from: latestAtEnd + length, to: place }, true)) {
      followed.set(place, latestAtEnd);
    }
  }
  return followed;
}
