import { negates } from "./negation.ts";
import type { WordRange } from "./match-words.ts";
import type { WordList } from "./word-list.ts";
import type { WorkLimit } from "./work-limit.ts";

const BEHIND_NAME = /^["']?\s{0,3}[:=]/u;
const OF_ANOTHER_NAME = /(?:[,;{}]\s*["']?[\w.\-/]+["']?\s*[:=]|\s[\w.\-/]+=)\s*["'[{]*$/u;
const LOOK_AHEAD = 8;
const LOOK_BACK = 300;

/** True if words of one line, none of which negates, may be left out here, or whole lines if the gap begins and ends with one. */
export function mayBeLeftOut(gap: WordRange, source: WordList, work: WorkLimit): boolean {
  const { from, to } = gap;
  if (from === to) return true;
  for (let at = from; at <= to; at += 1) {
    work.spend(1);
    if (source.isFirstOfLine(at) || (at < to && negates(source, at))) return false;
  }
  const text = textOf(gap, source, work);
  return !leavesObject(text) && !takesAnotherValue(text) && !text.includes(nameAt(source, to) ?? "\0");
}

/** The same for whole lines: those of the same name and depth may not be left out, unless the line before has that name, too. */
export function mayLeaveOutLines(gap: WordRange, source: WordList, work: WorkLimit): boolean {
  if (!source.isFirstOfLine(gap.from) || !source.isFirstOfLine(gap.to)) return false;
  const name = nameAt(source, gap.to);
  if (name === undefined || name.includes("=")) return true;
  const start = lineStart(source, source.start(gap.to));
  const line = `\n${source.text.slice(start, source.start(gap.to))}${name}`;
  const before = lineStart(source, source.end(gap.from - 1) - 1);
  return source.text.startsWith(line.slice(1), before) || !textOf(gap, source, work).includes(line);
}

function textOf({ from, to }: WordRange, source: WordList, work: WorkLimit): string {
  const text = source.text.slice(source.end(from - 1), source.start(to));
  work.spend(text.length);
  return text;
}

/** A word with the marks behind it, if it is the name of a value. */
function nameAt(source: WordList, at: number): string | undefined {
  const end = source.end(at);
  const [marks] = BEHIND_NAME.exec(source.text.slice(end, end + LOOK_AHEAD)) ?? [];
  return marks === undefined ? undefined : `${source.word(at)}${marks}`;
}

function lineStart(source: WordList, offset: number): number {
  return source.lineOffset(source.lineAt(offset));
}

/** True if a text begins behind the name of one value and ends in front of another value. */
function takesAnotherValue(text: string): boolean {
  return BEHIND_NAME.test(text) && OF_ANOTHER_NAME.test(text.slice(-LOOK_BACK));
}

/** True if a text goes on in the next object of a list. */
function leavesObject(text: string): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === "{") depth += 1;
    if (text[at] !== "}") continue;
    depth -= 1;
    if (depth < 0 && /^\s{0,200},\s{0,200}\{/u.test(text.slice(at + 1, at + 402))) return true;
  }
  return false;
}
