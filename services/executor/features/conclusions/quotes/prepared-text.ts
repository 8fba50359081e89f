import { jsonObjects, type JsonObjects } from "./json-objects.ts";
import { SourceLines } from "./source-lines.ts";
import type { TableTops } from "./table-rows.ts";
import { WordList } from "./word-list.ts";
import type { WorkLimit } from "./work-limit.ts";

/** A source that is divided once, when a quote needs it. */
export class PreparedText {
  readonly #text: string;
  #words: WordList | undefined;
  #objects: JsonObjects | undefined;
  #lines: SourceLines | undefined;
  readonly tops: TableTops = { ofColumns: new Map(), ofWords: new Map() };

  constructor(text: string) {
    this.#text = text;
  }

  /**
   * Throws OutOfWork. Dividing a text takes about as long as a comparison for each of its characters, and several for those outside of
   * ASCII, by their further bytes.
   */
  words(work: WorkLimit): WordList {
    if (this.#words !== undefined) return this.#words;
    work.spend(this.#text.length + 4 * (Buffer.byteLength(this.#text) - this.#text.length));
    this.#words = new WordList(this.#text);
    return this.#words;
  }

  /** The objects of the text in plain form. Throws OutOfWork. */
  objects(work: WorkLimit): JsonObjects {
    if (this.#objects !== undefined) return this.#objects;
    const { text } = this.words(work);
    work.spend(text.length >>> 1);
    this.#objects = jsonObjects(text);
    return this.#objects;
  }

  /** Throws OutOfWork. */
  lines(work: WorkLimit): SourceLines {
    return (this.#lines ??= new SourceLines(this.words(work)));
  }
}
