/** A trigram is three characters of five bits each: a letter has the same ones in both cases, other characters share theirs with letters. */
const TRIGRAMS = 1 << 15;
/** By trigram, the mark of the text that it occurred in last. */
const marks = new Uint8Array(TRIGRAMS);
const last = { text: "", lower: "", mark: 1 };

/**
 * Words of which one occurs in every text that an expression finds something in. To ask this costs a small part of the
 * expression's own search, because most words have a trigram that the text has not.
 */
export class Words {
  readonly #words: readonly { readonly word: string; readonly trigrams: readonly number[] }[];

  /** In lower case, of ASCII. */
  constructor(...words: readonly string[]) {
    this.#words = words.map((word) => ({ word, trigrams: trigramsOf(word) }));
  }

  /** True if one of the words occurs in the text, in any case. The steps of masking ask for the same text in turn. */
  test(text: string): boolean {
    note(text);
    for (const { word, trigrams } of this.#words) {
      if (haveOccurred(trigrams) && lowerCase().includes(word)) return true;
    }
    return false;
  }
}

function trigramsOf(word: string): readonly number[] {
  const trigrams: number[] = [];
  let trigram = 0;
  for (let at = 0; at < word.length; at += 1) {
    trigram = nextTrigram(trigram, word.charCodeAt(at));
    if (at >= 2) trigrams.push(trigram);
  }
  return trigrams;
}

function nextTrigram(trigram: number, code: number): number {
  return ((trigram << 5) | (code & 31)) & (TRIGRAMS - 1);
}

/** Marks the trigrams of a text. */
function note(text: string): void {
  if (text === last.text) return;
  last.text = text;
  last.lower = "";
  last.mark += 1;
  if (last.mark > 255) {
    marks.fill(0);
    last.mark = 1;
  }
  let trigram = 0;
  for (let at = 0; at < text.length; at += 1) {
    trigram = nextTrigram(trigram, text.charCodeAt(at));
    marks[trigram] = last.mark;
  }
}

function haveOccurred(trigrams: readonly number[]): boolean {
  for (const trigram of trigrams) if (marks[trigram] !== last.mark) return false;
  return true;
}

/** Of the text that was noted last. */
function lowerCase(): string {
  if (last.lower === "") last.lower = last.text.toLowerCase();
  return last.lower;
}
