const NEWLINE = 0x0a;
/** The start and the end of a line that is too long are kept. */
const KEPT_BYTES = 1_024;
/** The factor by which a line may exceed its limit before it is taken for one without end. */
const SKIP_FACTOR = 4;

interface LineFramerOptions {
  readonly maxBytes: number;
  /** Gets each line without its newline. */
  readonly onLine: (line: Buffer) => void;
  /** Gets the start and the end of a line that is longer than `maxBytes`, once it has ended. */
  readonly onTooLong: (start: Buffer, end: Buffer) => void;
}

/** Splits a byte stream into lines. Each byte is looked at once and copied once, however long the line. */
export class LineFramer {
  readonly #options: LineFramerOptions;
  #pieces: Buffer[] = [];
  #length = 0;
  /** The start of a line that is too long. */
  #start: Buffer | undefined;
  #end: Buffer = Buffer.alloc(0);

  constructor(options: LineFramerOptions) {
    this.#options = options;
  }

  /** The bytes of the line that has not ended yet. */
  get held(): number {
    return this.#pieces.length === 0 ? 0 : this.#length;
  }

  /** Takes the next bytes; false if a line does not end: then the framer must not be used any more. */
  push(chunk: Buffer): boolean {
    const { maxBytes } = this.#options;
    let from = 0;
    for (;;) {
      const newline = chunk.indexOf(NEWLINE, from);
      const piece = chunk.subarray(from, newline === -1 ? undefined : newline);
      this.#length += piece.length;
      if (this.#length > maxBytes * SKIP_FACTOR) {
        this.#pieces = [];
        return false;
      }
      if (piece.length > 0) this.#pieces.push(piece);
      if (this.#length > maxBytes) this.#skip();
      if (newline === -1) return true;
      this.#endLine();
      from = newline + 1;
    }
  }

  #skip(): void {
    const held = Buffer.concat([this.#end, ...this.#pieces]);
    this.#start ??= Buffer.from(held.subarray(0, KEPT_BYTES));
    this.#end = Buffer.from(held.subarray(-KEPT_BYTES));
    this.#pieces = [];
  }

  #endLine(): void {
    const { onLine, onTooLong } = this.#options;
    const [only, ...more] = this.#pieces;
    const start = this.#start;
    const end = this.#end;
    const line = only === undefined || more.length > 0 ? Buffer.concat(this.#pieces) : only;
    this.#pieces = [];
    this.#length = 0;
    this.#start = undefined;
    this.#end = Buffer.alloc(0);
    if (start !== undefined) onTooLong(start, end);
    else if (line.length > 0) onLine(line);
  }
}
