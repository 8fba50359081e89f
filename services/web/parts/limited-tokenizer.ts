import { Tokenizer, type Tokens } from "marked";

/** A text that people write takes a hundredth of it; some others would take minutes. */
const MAX_MS = 400;
const MAX_CELLS = 10_000;
// A row that is shorter than the head of its table gets the missing cells.
const TABLE_HEAD = /^[^\n]*\n[ \t|:-]+(?:\n|$)/u;

/**
 * Reads one text in Markdown, and throws RangeError once that has taken too long or would make too large a table: a model, or
 * a tool through it, may write texts that are made to stop the page.
 */
export class LimitedTokenizer extends Tokenizer {
  readonly #checkTime: () => void;

  /** `now` returns milliseconds. */
  constructor(now: () => number) {
    super();
    const deadline = now() + MAX_MS;
    this.#checkTime = () => {
      if (now() > deadline) throw new RangeError("the text takes too long to read as Markdown");
    };
  }

  // The lexer asks for spaces and escapes first, once at each place of a text.
  override space(source: string): Tokens.Space | undefined {
    this.#checkTime();
    return super.space(source);
  }

  override escape(source: string): Tokens.Escape | undefined {
    this.#checkTime();
    return super.escape(source);
  }

  override table(source: string): Tokens.Table | undefined {
    const [head] = TABLE_HEAD.exec(source) ?? [""];
    const columns = head.split("|").length;
    if (columns > 2) {
      const end = source.indexOf("\n\n");
      const rows = source.slice(0, end === -1 ? source.length : end).split("\n").length;
      if (columns * rows > MAX_CELLS) throw new RangeError("the table has too many cells");
    }
    return super.table(source);
  }
}
