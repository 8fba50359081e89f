import { FIRST_OF_LINE, HAS_SEPARATORS, IS_MASKED, divideWords } from "./divide-words.ts";
import { Integers, lastNotAbove } from "./integers.ts";
import { plainText } from "./plain-text.ts";

interface Index {
  readonly starts: Int32Array;
  readonly words: Int32Array;
}

/** The words of a text in arrays, because a text of 16 MiB has millions. */
export class WordList {
  /** The text in its plain form; offsets are those of this form. */
  readonly text: string;
  #starts: Int32Array;
  #ends: Int32Array;
  #hashes: Int32Array;
  #flags: Uint8Array;
  #count = 0;
  readonly #lineOffsets = new Integers();
  #index: Index | undefined;
  #hasMasked = false;

  constructor(text: string) {
    this.text = plainText(text);
    const size = 16 + (this.text.length >>> 3);
    this.#starts = new Int32Array(size);
    this.#ends = new Int32Array(size);
    this.#hashes = new Int32Array(size);
    this.#flags = new Uint8Array(size);
    divideWords(this.text, {
      startLine: (offset) => this.#lineOffsets.push(offset),
      addWord: (start, end, hash, flags) => {
        const at = this.#count;
        if (at === this.#starts.length) this.#grow();
        this.#starts[at] = start;
        this.#ends[at] = end;
        this.#hashes[at] = hash;
        this.#flags[at] = flags;
        this.#hasMasked ||= (flags & IS_MASKED) !== 0;
        this.#count = at + 1;
      },
    });
  }

  get count(): number {
    return this.#count;
  }

  get hasMasked(): boolean {
    return this.#hasMasked;
  }

  /** True if the word is exactly this one, in the same case. */
  isWord(at: number, word: string): boolean {
    const start = this.start(at);
    return this.end(at) - start === word.length && this.text.startsWith(word, start);
  }

  /** The word, without thousands separators. */
  word(at: number): string {
    const word = this.text.slice(this.start(at), this.end(at));
    return this.has(at, HAS_SEPARATORS) ? word.replaceAll(",", "") : word;
  }

  start(at: number): number {
    return this.#starts[at] ?? 0;
  }

  end(at: number): number {
    return this.#ends[at] ?? 0;
  }

  hash(at: number): number {
    return this.#hashes[at] ?? 0;
  }

  has(at: number, flag: number): boolean {
    return ((this.#flags[at] ?? 0) & flag) !== 0;
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
    return lastNotAbove(this.#starts, this.#count, offset - 1) + 1;
  }

  /** At least the number of words with this hash. */
  mostWith(hash: number): number {
    const { starts } = (this.#index ??= this.#buildIndex());
    const bucket = bucketOf(hash, starts);
    return (starts[bucket + 1] ?? 0) - (starts[bucket] ?? 0);
  }

  /** The words with this hash, in order. */
  positions(hash: number): Int32Array {
    const { starts, words } = (this.#index ??= this.#buildIndex());
    const bucket = bucketOf(hash, starts);
    const ofBucket = words.subarray(starts[bucket], starts[bucket + 1]);
    let same = 0;
    while (same < ofBucket.length && this.#hashes[ofBucket[same] ?? 0] === hash) same += 1;
    return same === ofBucket.length ? ofBucket : ofBucket.filter((word) => this.#hashes[word] === hash);
  }

  /** Words by hash, in about as many buckets as there are words. */
  #buildIndex(): Index {
    const starts = new Int32Array(2 ** Math.ceil(Math.log2(this.count + 16)) + 1);
    for (let word = 0; word < this.count; word += 1) {
      const behind = bucketOf(this.hash(word), starts) + 1;
      starts[behind] = (starts[behind] ?? 0) + 1;
    }
    for (let at = 1; at < starts.length; at += 1) starts[at] = (starts[at] ?? 0) + (starts[at - 1] ?? 0);
    const next = starts.slice();
    const words = new Int32Array(this.count);
    for (let word = 0; word < this.count; word += 1) {
      const bucket = bucketOf(this.hash(word), starts);
      const at = next[bucket] ?? 0;
      words[at] = word;
      next[bucket] = at + 1;
    }
    return { starts, words };
  }

  #grow(): void {
    const grown = (values: Int32Array) => {
      const larger = new Int32Array(values.length * 2);
      larger.set(values);
      return larger;
    };
    this.#starts = grown(this.#starts);
    this.#ends = grown(this.#ends);
    this.#hashes = grown(this.#hashes);
    const flags = new Uint8Array(this.#flags.length * 2);
    flags.set(this.#flags);
    this.#flags = flags;
  }
}

function bucketOf(hash: number, starts: Int32Array): number {
  return (hash ^ (hash >>> 15)) & (starts.length - 2);
}
