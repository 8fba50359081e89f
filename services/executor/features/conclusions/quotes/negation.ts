import { FIRST_OF_CELL } from "./divide-words.ts";
import { operatorBefore } from "./operators.ts";
import type { WordRange } from "./match-words.ts";
import type { WordList } from "./word-list.ts";

const NEGATING = new Set(
  "no not never without cannot unable zero none neither nor nothing unless ✗ ✘ ✖ ❌".split(" "),
);
/** In front of "to". */
const FAILING = /^(?:fail(?:s|ed|ing)?|refus(?:es|ed|ing))$/u;
/** `0 errors`, `0/3 nodes are available`: the number, and what may stand in front of it. */
const NONE_OF = /^0(?:\/\d+)?$/u;
const BEGINNING = /[^\w\s:=]\s{0,2}$/u;
/** Behind the name of a value. */
const VALUE_OF_NONE =
  /^["']?\s{0,3}[:=]\s{0,3}["'<]?(?:false|no|none|never|null|0)["'>]?[ \t]*(?:[,;}\]\r\n\\]|$)/iu;
const VALUE = /^["']?\s{0,3}[:=]/u;
const COMMENTS = new Set(["#", "//"]);
const LOOK_AHEAD = 24;

/** True if the word `at` of the source negates what follows it. A negation such as "isn't" is two words. */
export function negates(source: WordList, at: number): boolean {
  const word = source.word(at).toLowerCase();
  // `<none>` is a value.
  if (NEGATING.has(word)) return source.text[source.start(at) - 1] !== "<";
  if (FAILING.test(word)) return source.word(at + 1).toLowerCase() === "to";
  return (
    word === "t" &&
    at > 0 &&
    source.text.slice(source.end(at - 1) - 1, source.start(at)).toLowerCase() === "n'"
  );
}

/**
 * True if what stands around the words negates them: one of the two words before, in their line, a `!=`, a mark of a comment before
 * a setting, `0` before what is counted, or a value that says no.
 */
export function isNegated(source: WordList, { from, to }: WordRange): boolean {
  if (operatorBefore(source, from) === "!") return true;
  if (VALUE_OF_NONE.test(behind(source, to - 1))) return true;
  if (source.isFirstOfLine(from)) return false;
  for (let at = from; at > 0 && at > from - 2 && !source.isFirstOfLine(at); at -= 1) {
    if (negates(source, at - 1)) return true;
  }
  if (COMMENTS.has(source.word(from - 1)) && source.isFirstOfLine(from - 1)) {
    return VALUE.test(behind(source, from));
  }
  return isNoneOf(source, from);
}

function isNoneOf(source: WordList, from: number): boolean {
  if (!NONE_OF.test(source.word(from - 1)) || !/^[a-z]/u.test(source.word(from))) return false;
  const [start, end] = [source.start(from - 1), source.end(from - 1)];
  if (source.text.slice(end, source.start(from)) !== " ") return false;
  return (
    end > start + 1 ||
    source.has(from - 1, FIRST_OF_CELL) ||
    BEGINNING.test(source.text.slice(Math.max(0, start - 3), start))
  );
}

function behind(source: WordList, at: number): string {
  return source.text.slice(source.end(at), source.end(at) + LOOK_AHEAD);
}
