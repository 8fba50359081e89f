import { retryable } from "../errors/llm-error.ts";

/** One server-sent event; no name means the default one. */
export interface SseEvent {
  readonly name: string | undefined;
  readonly data: string;
}

const LINE_END = /\r\n?|\n/gu;
/** A field, or a comment; anything else, such as bare JSON, has no business in a stream of events. */
const FIELD = /^(?<name>[A-Za-z][\w-]*)?(?::|$)/u;

/**
 * Reads a response's body as server-sent events, as SseParser does. Throws what that throws and whatever the body
 * fails with. Leaving the loop early cancels the body.
 */
export async function* parseSse(
  body: AsyncIterable<Uint8Array>,
  maxLength: number,
): AsyncGenerator<SseEvent> {
  const reader = new SseParser(maxLength);
  for await (const bytes of body) yield* reader.read(bytes);
  yield* reader.end();
}

/**
 * Finds the events in a stream that comes in pieces: lines end in LF, CRLF or CR, several `data` lines are joined,
 * comments, other fields and events without data are passed over, and the last event needs no blank line behind it.
 * Lines that are no field come out as data too, for front ends put a bare error object into a stream. `read` and `end`
 * throw RetryableError `provider_error` once an event has more than `maxLength` UTF-16 units, and TypeError for bytes
 * that are not UTF-8.
 */
export class SseParser {
  readonly #maxLength: number;
  readonly #decoder = new TextDecoder("utf-8", { fatal: true }); // it also takes the byte order mark off
  readonly #event = new SseEventLines();
  #line = "";
  #isAfterCr = false;

  constructor(maxLength: number) {
    this.#maxLength = maxLength;
  }

  /** Takes the next bytes; gives the events they complete. */
  *read(bytes: Uint8Array): Generator<SseEvent> {
    const text = this.#decoder.decode(bytes, { stream: true });
    if (text === "") return;
    let start = 0;
    for (const { index, 0: end } of text.matchAll(LINE_END)) {
      // The second half of a CRLF that was cut between two pieces ends no line of its own.
      const isRest = this.#isAfterCr && index === 0 && end === "\n";
      const event = isRest ? undefined : this.#event.add(this.#line + text.slice(start, index));
      this.#line = "";
      start = index + end.length;
      if (event !== undefined) yield event;
    }
    this.#line += text.slice(start);
    this.#isAfterCr = text.endsWith("\r");
    if (this.#event.length + this.#line.length > this.#maxLength) {
      throw retryable(
        "provider_error",
        `the provider sent one message of more than ${this.#maxLength} characters`,
      );
    }
  }

  /** To be asked when the stream has ended: gives the event that it broke off in. */
  *end(): Generator<SseEvent> {
    const line = this.#line + this.#decoder.decode();
    const event = this.#event.add(line) ?? this.#event.add("");
    if (event !== undefined) yield event;
  }
}

/** The lines of the event that is being read. */
class SseEventLines {
  #name: string | undefined;
  #data: string[] = [];
  #length = 0;

  /** In UTF-16 units, with what each line takes beside its data. */
  get length(): number {
    return this.#length;
  }

  /** Takes one line without its end; a blank one ends the event and gives it, if it has any data. */
  add(line: string): SseEvent | undefined {
    if (line === "") return this.#take();
    const field = FIELD.exec(line);
    const value = field === null ? line : line.slice(field[0].length).replace(/^ /u, "");
    if (field === null || field.groups?.["name"] === "data") {
      this.#data.push(value);
      this.#length += line.length + 1;
    } else if (field.groups?.["name"] === "event") {
      this.#name = value;
    }
    return undefined;
  }

  #take(): SseEvent | undefined {
    const event = this.#data.length === 0 ? undefined : { name: this.#name, data: this.#data.join("\n") };
    this.#name = undefined;
    this.#data = [];
    this.#length = 0;
    return event;
  }
}
