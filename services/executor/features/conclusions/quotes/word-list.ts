import { FIRST_OF_LINE, HAS_SEPARATORS, IS_MASKED, divideWords } from "./divide-words.ts";
import { Integers } from "./integers.ts";
import { plainText } from "./plain-text.ts";

/** FNV-1a begins with it. */
const NO_HASH = 0x81_1c_9d_c5;

/** The hash of a word in lower case (FNV-1a). */
function hashOf(word: string): number {
  const lower = word.toLowerCase();
  let hash = NO_HASH;
  for (let at = 0; at < lower.length; at += 1) hash = mix(hash, lower.charCodeAt(at));
  return hash;
}

function mix(hash: number, code: number): number {
  return Math.imul(hash ^ code, 0x01_00_01_93);
}

interface Index {
  readonly starts: Int32Array;
  readonly words: Int32Array;
}

/** The words of a text in arrays, because a text of 16 MiB has millions. */
export class WordList {
  /** The text in its plain form; offsets are those of this form. */
  readonly text: string;
  readonly #starts = new Integers();
  readonly #ends = new Integers();
  readonly #hashes = new Integers();
  readonly #flags = new Integers();
  readonly #lineOffsets = new Integers();
  #index: Index | undefined;
  #hasMasked = false;

  constructor(text: string) {
    this.text = plainText(text);
    divideWords(this.text, {
      startLine: (offset) => this.#lineOffsets.push(offset),
      addWord: (start, end, flags) => {
        this.#starts.push(start);
        this.#ends.push(end);
        this.#flags.push(flags);
        this.#hasMasked ||= (flags & IS_MASKED) !== 0;
        this.#hashes.push(this.#hash(start, end, flags));
      },
    });
  }

  get count(): number {
    return this.#starts.length;
  }

  get hasMasked(): boolean {
    return this.#hasMasked;
  }

  /** The word, without thousands separators. */
  word(at: number): string {
    const word = this.text.slice(this.#starts.at(at), this.#ends.at(at));
    return this.has(at, HAS_SEPARATORS) ? word.replaceAll(",", "") : word;
  }

  start(at: number): number {
    return this.#starts.at(at);
  }

  end(at: number): number {
    return this.#ends.at(at);
  }

  hash(at: number): number {
    return this.#hashes.at(at);
  }

  has(at: number, flag: number): boolean {
    return (this.#flags.at(at) & flag) !== 0;
  }

  isFirstOfLine(at: number): boolean {
    return at >= this.count || this.has(at, FIRST_OF_LINE);
  }

  /** The line of an offset, from 0. */
  lineAt(offset: number): number {
    return this.#lineOffsets.lastNotAbove(offset);
  }

  get lineCount(): number {
    return this.#lineOffsets.length;
  }

  /** The offset of a line; the end of the text for a line behind the last one. */
  lineOffset(line: number): number {
    return line < this.lineCount ? this.#lineOffsets.at(line) : this.text.length + 1;
  }

  /** The first word that begins at or behind an offset. */
  wordFrom(offset: number): number {
    return this.#starts.lastNotAbove(offset - 1) + 1;
  }

  /** At least the number of words with this hash. */
  mostWith(hash: number): number {
    const { starts } = (this.#index ??= this.#buildIndex());
    const bucket = bucketOf(hash, starts);
    return (starts[bucket + 1] ?? 0) - (starts[bucket] ?? 0);
  }

  /** The words with this hash, in order. */
  positions(hash: number): number[] {
    const { starts, words } = (this.#index ??= this.#buildIndex());
    const bucket = bucketOf(hash, starts);
    const found: number[] = [];
    for (let at = starts[bucket] ?? 0; at < (starts[bucket + 1] ?? 0); at += 1) {
      const word = words[at] ?? 0;
      if (this.#hashes.at(word) === hash) found.push(word);
    }
    return found;
  }

  /** Words by hash, in about as many buckets as there are words. */
  #buildIndex(): Index {
    const starts = new Int32Array(2 ** Math.ceil(Math.log2(this.count + 16)) + 1);
    for (let word = 0; word < this.count; word += 1) {
      const behind = bucketOf(this.#hashes.at(word), starts) + 1;
      starts[behind] = (starts[behind] ?? 0) + 1;
    }
    for (let at = 1; at < starts.length; at += 1) starts[at] = (starts[at] ?? 0) + (starts[at - 1] ?? 0);
    const next = starts.slice();
    const words = new Int32Array(this.count);
    for (let word = 0; word < this.count; word += 1) {
      const bucket = bucketOf(this.#hashes.at(word), starts);
      const at = next[bucket] ?? 0;
      words[at] = word;
      next[bucket] = at + 1;
    }
    return { starts, words };
  }

  #hash(start: number, end: number, flags: number): number {
    let hash = NO_HASH;
    let isPlain = (flags & HAS_SEPARATORS) === 0;
    for (let at = start; isPlain && at < end; at += 1) {
      const code = this.text.charCodeAt(at);
      isPlain = code < 128;
      hash = mix(hash, code >= 65 && code <= 90 ? code + 32 : code);
    }
    return isPlain ? hash : hashOf(this.text.slice(start, end).replaceAll(",", ""));
  }
}

function bucketOf(hash: number, starts: Int32Array): number {
  return (hash ^ (hash >>> 15)) & (starts.length - 2);
}
