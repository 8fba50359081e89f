/** Keeps the end of a stream of bytes, so that a server's log is read without limit but stored with one. */
export class BoundedTail {
  readonly #maxBytes: number;
  #pieces: Buffer[] = [];
  #length = 0;
  #isCut = false;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  push(chunk: Buffer): void {
    const piece = chunk.subarray(Math.max(0, chunk.length - this.#maxBytes));
    this.#isCut ||= piece.length + this.#length > this.#maxBytes || piece.length < chunk.length;
    this.#pieces.push(Buffer.from(piece));
    this.#length += piece.length;
    // Joined only after it has doubled: each byte is copied at most twice.
    if (this.#length <= 2 * this.#maxBytes && this.#pieces.length < 1_000) return;
    const joined = Buffer.concat(this.#pieces, this.#length);
    this.#pieces = [joined.subarray(Math.max(0, joined.length - this.#maxBytes))];
    this.#length = Math.min(joined.length, this.#maxBytes);
  }

  /** The last whole lines: the rest of a line that was cut may be half a secret, which no masking would find. */
  text(): string {
    const tail = Buffer.concat(this.#pieces, this.#length).subarray(-this.#maxBytes);
    return (this.#isCut ? tail.subarray(tail.indexOf("\n") + 1 || tail.length) : tail).toString("utf8");
  }
}
