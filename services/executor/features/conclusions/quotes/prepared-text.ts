import { jsonObjects, type JsonObjects } from "./json-objects.ts";
import { SourceLines } from "./source-lines.ts";
import { WordList } from "./word-list.ts";
import type { WorkLimit } from "./work-limit.ts";

/** A source that is divided once, when a quote needs it. */
export class PreparedText {
  readonly #text: string;
  #words: WordList | undefined;
  #objects: JsonObjects | undefined;
  #lines: SourceLines | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  /** Throws OutOfWork. Dividing four characters takes about as long as a comparison. */
  words(work: WorkLimit): WordList {
    if (this.#words !== undefined) return this.#words;
    work.spend(this.#text.length >>> 2);
    this.#words = new WordList(this.#text);
    return this.#words;
  }

  /** The objects of the text in plain form. Throws OutOfWork. */
  objects(work: WorkLimit): JsonObjects {
    if (this.#objects !== undefined) return this.#objects;
    const { text } = this.words(work);
    work.spend(text.length >>> 3);
    this.#objects = jsonObjects(text);
    return this.#objects;
  }

  /** Throws OutOfWork. */
  lines(work: WorkLimit): SourceLines {
    return (this.#lines ??= new SourceLines(this.words(work)));
  }
}
