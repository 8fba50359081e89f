import type { MaskContext, MaskedValue } from "#shared/masking/mask-context.ts";

/** A run without white space and quotes; what is longer than any value that is remembered is not compared. */
const RUN = /[^\s"'`]+/g;
const QUOTED = /"([^"\n]{8,1024})"|'([^'\n]{8,1024})'/g;
const MIN_LENGTH = 8;
const MAX_RUN = 8_192;
/** Text with letters that is no part of a value: escape sequences of terminals and JSON, percent-encoded punctuation. */
const ESCAPE =
  // oxlint-disable-next-line no-control-regex -- the escape character begins a colour
  /\u001B\[[\d;]{0,20}[A-Za-z]|%(?:2[0-9A-F]|3[A-F]|5[B-F]|7[B-E]|60)|\\[nrt](?=.)|\\u[0-9a-f]{4}/giu;
const WORD = /[\p{L}\p{N}]/u;
/** Characters that stand around most values: a part between two of them is always compared. */
const SEPARATOR = /[=:,;&@?|(){}[\]<>\\]/u;
/** Other comparisons per character of the text, and at least; each takes a few microseconds. */
const TRIES_PER_CHARACTER = 0.25;
/** Texts repeat their words. */
const MAX_MISSES = 100_000;
const MIN_TRIES = 50_000;

/**
 * Masks values that were masked before, at each place where they stand as a whole: where neither a letter nor a digit is right before or
 * behind them. `seen` has them by their digest, so that no value needs to be kept. The number of comparisons is proportional
 * to the text.
 */
export function maskSeen(text: string, seen: ReadonlyMap<string, MaskedValue>, context: MaskContext): string {
  if (seen.size === 0) return text;
  const finder = new Finder(seen, context, Math.max(MIN_TRIES, text.length * TRIES_PER_CHARACTER));
  const quoted = text.replaceAll(QUOTED, (whole, double: string | undefined, single: string | undefined) => {
    context.step();
    const found = finder.find(double ?? single ?? "");
    const quote = whole.charAt(0);
    return found === undefined ? whole : `${quote}${context.again(found)}${quote}`;
  });
  return quoted.replaceAll(RUN, (run) => {
    context.step();
    if (run.length < MIN_LENGTH) return run;
    const whole = finder.find(run);
    return whole === undefined ? maskWithin(run, finder, context) : context.again(whole);
  });
}

class Finder {
  readonly lengths: readonly number[];
  readonly #seen: ReadonlyMap<string, MaskedValue>;
  readonly #context: MaskContext;
  readonly #isLength = new Set<number>();
  readonly #misses = new Set<string>();
  #triesLeft: number;

  constructor(seen: ReadonlyMap<string, MaskedValue>, context: MaskContext, tries: number) {
    for (const { length } of seen.values()) this.#isLength.add(length);
    this.lengths = [...this.#isLength].sort((a, b) => b - a);
    this.#seen = seen;
    this.#context = context;
    this.#triesLeft = tries;
  }

  find(value: string): MaskedValue | undefined {
    return this.#isLength.has(value.length) ? this.#seen.get(this.#context.digestOf(value)) : undefined;
  }

  /** Does the same as `find`, as long as tries are left. */
  try(value: string): MaskedValue | undefined {
    if (this.#misses.has(value)) return undefined;
    if (this.#triesLeft <= 0) return undefined;
    this.#triesLeft -= 1;
    this.#context.step();
    const found = this.#seen.get(this.#context.digestOf(value));
    if (found === undefined && this.#misses.size < MAX_MISSES) this.#misses.add(value);
    return found;
  }
}

/** Masks values between any two borders of words within a run; longer values first. */
function maskWithin(run: string, finder: Finder, context: MaskContext): string {
  const borders = bordersOf(run);
  const parts: string[] = [];
  let copied = 0;
  for (let start = 0; start + MIN_LENGTH <= run.length; start += 1) {
    if (start < copied || ((borders[start] ?? 0) & START) === 0) continue;
    for (const length of finder.lengths) {
      const end = start + length;
      if (end > run.length || ((borders[end] ?? 0) & END) === 0) continue;
      const value = run.slice(start, end);
      const isPart = (end === run.length || SEPARATOR.test(run.charAt(end))) && !SEPARATOR.test(value);
      const seen = isPart ? finder.find(value) : finder.try(value);
      if (seen === undefined) continue;
      parts.push(run.slice(copied, start), context.again(seen));
      copied = end;
      break;
    }
  }
  parts.push(run.slice(copied));
  return parts.join("");
}

const START = 1;
const END = 2;

/** The offsets at which a value may begin and end: those where not two letters or digits meet. */
function bordersOf(run: string): Uint8Array {
  const borders = new Uint8Array(run.length + 1);
  const mark = (at: number, border: number) => void (borders[at] = (borders[at] ?? 0) | border);
  mark(0, START);
  mark(run.length, END);
  const isLong = run.length > MAX_RUN;
  let wasWord = false;
  for (let at = 0; at < run.length; at += 1) {
    const isWord = isWordCode(run.charCodeAt(at));
    // Only words begin and end a value in a long run such as base64.
    if ((!isWord || !wasWord) && (isWord || !isLong)) mark(at, START);
    if ((!isWord || !wasWord) && (wasWord || !isLong)) mark(at, END);
    wasWord = isWord;
  }
  for (const { index, 0: escape } of hasEscape(run) ? run.matchAll(ESCAPE) : []) {
    mark(index + escape.length, START);
    mark(index, END);
  }
  // An option with its value: -pVALUE.
  if (/^-[A-Za-z]./u.test(run)) mark(2, START);
  for (const { index, 0: placeholder } of run.includes("[MASKED_") ? run.matchAll(PLACEHOLDERS) : []) {
    borders.fill(0, index + 1, index + placeholder.length);
  }
  return borders;
}

function hasEscape(run: string): boolean {
  return run.includes("%") || run.includes("\\") || run.includes("\u001B");
}

function isWordCode(code: number): boolean {
  if (code >= 0x80) return WORD.test(String.fromCharCode(code));
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) || (code >= 0x30 && code <= 0x39);
}

const PLACEHOLDERS = /\[MASKED_[A-Z0-9_]{1,40}(?::[0-9a-f]{6})?\]/gu;
