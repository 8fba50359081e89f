import { isExactNumber, isObject, parseExactJson } from "#shared/exact-json.ts";
import { DIFFERENT, compareWords, mayDiffer, quoteWords, type QuoteWord } from "./compare-words.ts";
import { nearestMatch, type Where } from "./match-words.ts";
import type { PreparedText } from "./prepared-text.ts";
import { Differences, type QuoteMatch } from "./quote-match.ts";
import { WordList } from "./word-list.ts";
import type { WorkLimit } from "./work-limit.ts";

/** Objects around a word that are compared, and the size of one in code units. */
const MAX_LEVELS = 8;
const MAX_OBJECT_CHARS = 256 * 1_024;
/** Further objects of a source are not compared. */
const MAX_OBJECTS = 5_000;

type Members = Readonly<Record<string, unknown>>;

/** Finds a quote that is a part of one object in JSON, member by member and in any order. `text` is the quote in plain form. */
export function matchJson(
  text: string,
  words: readonly QuoteWord[],
  source: PreparedText,
  where: Where,
  work: WorkLimit,
): QuoteMatch | null {
  const quoted = membersOf(text);
  return quoted === null ? null : nearestMatch(matchesOf(quoted, words, source, work), where);
}

function* matchesOf(
  quoted: Members,
  quote: readonly QuoteWord[],
  source: PreparedText,
  work: WorkLimit,
): Generator<QuoteMatch, void> {
  const words = source.words(work);
  const anchor = quote
    .filter((word) => !mayDiffer(word))
    .toSorted((a, b) => words.mostWith(a.hash) - words.mostWith(b.hash))[0];
  if (anchor === undefined || words.mostWith(anchor.hash) === 0) return;
  const objects = source.objects(work);
  work.spend(words.mostWith(anchor.hash) * 4);
  const compared = new Set<number>();
  for (const at of words.positions(anchor.hash)) {
    let object = objects.around(words.start(at));
    for (let level = 0; object !== -1 && level < MAX_LEVELS; level += 1, object = objects.parent(object)) {
      const [start, end] = [objects.start(object), objects.end(object)];
      if (compared.has(object) || end - start > MAX_OBJECT_CHARS) break;
      if (compared.size === MAX_OBJECTS) return;
      compared.add(object);
      if (end === -1) continue;
      work.spend((end - start) * 2);
      const value = parsed(words.text.slice(start, end));
      const differences = new Differences();
      if (!isPart(quoted, value, differences)) continue;
      const refused = differences.refused(quote.length);
      yield { ...placeOf(quote, words, start, end), notes: [...differences.notes(), "members"], refused };
    }
  }
}

/** The members that a quote has: JSON with or without its outer brackets, or `key: value` and `key=value`; null for anything else. */
function membersOf(text: string): Members | null {
  if (!/[:=]/u.test(text)) return null;
  const bare = text.trim().replace(/^,/u, "").replace(/,$/u, "");
  for (const json of [bare, `{${bare}}`]) {
    const value = parsed(json);
    if (isObject(value) && Object.keys(value).length > 0) return hasAllOf(value, json) ? value : null;
  }
  return looseMembers(bare.replace(/^\{/u, "").replace(/\}$/u, ""));
}

/** False if a name stands twice in an object: the first value would not be compared. */
function hasAllOf(value: unknown, json: string): boolean {
  return keysIn(JSON.stringify(value)) === keysIn(json);
}

function keysIn(json: string): number {
  return json.match(/(?<!\\)"\s*:/gu)?.length ?? 0;
}

function looseMembers(text: string): Members | null {
  const members = new Map<string, string>();
  for (const member of text.split(/[,;\n]/u)) {
    const [, key = "", value = ""] = /^\s*["'`]?([\w.\-/]+)["'`]?\s*[:=](.*)$/u.exec(member) ?? [];
    if (key === "" || value.trim() === "" || members.has(key)) return null;
    members.set(key, value.trim());
  }
  return Object.fromEntries(members);
}

function parsed(text: string): unknown {
  try {
    return parseExactJson(text);
  } catch {
    return undefined;
  }
}

/** True if each member of the quote is one of the value's, whole lists of numbers and texts aside: their items may be left out. */
function isPart(quoted: unknown, value: unknown, differences: Differences): boolean {
  if (Array.isArray(quoted)) return Array.isArray(value) && areItems(quoted, value, differences);
  if (isObject(quoted)) {
    if (!isObject(value)) return false;
    const names = Object.keys(quoted);
    if (names.length === 0) return Object.keys(value).length === 0;
    return names.every(
      (name) => Object.hasOwn(value, name) && isPart(quoted[name], value[name], differences),
    );
  }
  return isScalar(value) && isSameScalar(scalarText(quoted), scalarText(value), differences);
}

/** True if the items are some of the value's, in their order. */
function areItems(quoted: readonly unknown[], value: readonly unknown[], differences: Differences): boolean {
  if (quoted.length === 0) return value.length === 0;
  let next = 0;
  for (const item of value) {
    if (next < quoted.length && isPart(quoted[next], item, differences)) next += 1;
  }
  return next === quoted.length;
}

function isScalar(value: unknown): boolean {
  return isExactNumber(value) || typeof value !== "object" || value === null;
}

function scalarText(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

function isSameScalar(quoted: string, value: string, differences: Differences): boolean {
  const words = new WordList(value);
  const quote = quoteWords(new WordList(quoted));
  if (quote.length !== words.count) return false;
  const isSame = quote.every((word, at) => compareWords(word, words, at) !== DIFFERENT);
  if (isSame) differences.addAll(quote, words, 0);
  return isSame;
}

/** The words of the object from the first to the last one that is in the quote. */
function placeOf(
  quote: readonly QuoteWord[],
  source: WordList,
  start: number,
  end: number,
): { from: number; to: number } {
  const [begin, behind] = [source.wordFrom(start), source.wordFrom(end)];
  const quoted = new Set(quote.map(({ hash }) => hash));
  let [from, to] = [behind, begin];
  for (let at = begin; at < behind; at += 1) {
    if (!quoted.has(source.hash(at))) continue;
    from = Math.min(from, at);
    to = at + 1;
  }
  return from < to ? { from, to } : { from: begin, to: behind };
}
