const SEQ = Buffer.from('"seq":');
const TAIL_BYTES = 64;
const TEXT = 0x81;

/** Calls `onSeq` with the `seq` of each stored event in a server's stream of WebSocket frames, and `onOther` for the rest. */
export class FrameReader {
  readonly #onSeq: (seq: number) => void;
  readonly #onOther: (text: string) => void;
  #rest: Buffer = Buffer.alloc(0);

  constructor(onSeq: (seq: number) => void, onOther: (text: string) => void = () => undefined) {
    this.#onSeq = onSeq;
    this.#onOther = onOther;
  }

  read(piece: Buffer): void {
    const bytes = this.#rest.length === 0 ? piece : Buffer.concat([this.#rest, piece]);
    let start = 0;
    while (bytes.length - start >= 2) {
      const short = (bytes[start + 1] ?? 0) & 0x7f;
      const header = short < 126 ? 2 : short === 126 ? 4 : 10;
      if (bytes.length - start < header) break;
      const length =
        short < 126
          ? short
          : short === 126
            ? bytes.readUInt16BE(start + 2)
            : Number(bytes.readBigUInt64BE(start + 2));
      const end = start + header + length;
      if (end > bytes.length) break;
      if (bytes[start] === TEXT) this.#text(bytes.subarray(start + header, end));
      start = end;
    }
    this.#rest = Buffer.from(bytes.subarray(start));
  }

  #text(data: Buffer): void {
    // The number is one of the last fields of an event.
    const tail = data.subarray(Math.max(0, data.length - TAIL_BYTES));
    const at = tail.indexOf(SEQ);
    if (at < 0) return this.#onOther(data.toString());
    this.#onSeq(Number.parseInt(tail.toString("latin1", at + SEQ.length), 10));
  }
}
