import { retryable } from "../errors/llm-error.ts";
import { isDescribable, isWebPage, webPageError } from "../errors/web-page.ts";

/** Of one event, in code units; a few times the largest answer, so that only garbage exceeds it. */
export const MAX_EVENT_LENGTH = 8 * 1024 * 1024;

/** One server-sent event; `name` is undefined if the event has no `event` field. */
export interface SseEvent {
  readonly name: string | undefined;
  readonly data: string;
}

const LINE_END = /\r\n?|\n/gu;
/** A field or a comment. */
const FIELD = /^(?:[ \t]+(?=(?:data|event|error):))?(?<name>[A-Za-z][\w-]*)?(?::|$)/u;

/**
 * Parses a response body as server-sent events, as SseParser does; `open` is called with the first event asked for, `heard` at
 * all bytes. Throws what `open` and SseParser throw and what the body fails with. Leaving the loop early cancels the body.
 */
export async function* parseSse(
  open: () => Promise<AsyncIterable<Uint8Array>>,
  maxLength: number,
  heard?: () => void,
): AsyncGenerator<SseEvent> {
  const reader = new SseParser(maxLength);
  for await (const bytes of await open()) {
    heard?.();
    yield* reader.read(bytes);
  }
  yield* reader.end();
}

/**
 * Parses server-sent events from bytes that arrive in pieces. Lines end in LF, CRLF or CR; several `data` lines are
 * joined; comments, other fields and events without data are skipped; the last event needs no blank line after it.
 * A line that is no field counts as data, because some proxies write a bare JSON error into the body; a field `error`, of
 * llama.cpp and others, is an event of this name; blanks before a field are ignored. `read` and `end` throw RetryableError
 * `provider_error` if an event exceeds `maxLength` code units, TerminalError `invalid_request` for a web page, and TypeError for
 * bytes that are not UTF-8.
 */
export class SseParser {
  readonly #maxLength: number;
  readonly #decoder = new TextDecoder("utf-8", { fatal: true }); // also removes a byte order mark
  readonly #event = new SseEventLines();
  #line = "";
  #isAfterCr = false;
  /** The body so far, until it is clear that it is no web page; undefined then. */
  #page: string | undefined = "";

  constructor(maxLength: number) {
    this.#maxLength = maxLength;
  }

  /** Takes the next bytes; yields the events they complete. */
  *read(bytes: Uint8Array): Generator<SseEvent> {
    const text = this.#decoder.decode(bytes, { stream: true });
    if (text === "" || this.#isInPage(text)) return;
    let start = 0;
    for (const { index, 0: end } of text.matchAll(LINE_END)) {
      // The LF of a CRLF that was split between two pieces does not end a second line.
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

  /** Call it at the end of the body: yields the last event if no blank line ended it. */
  *end(): Generator<SseEvent> {
    if (this.#page !== undefined && isWebPage(this.#page)) throw webPageError(this.#page);
    const line = this.#line + this.#decoder.decode();
    const event = this.#event.add(line) ?? this.#event.add("");
    if (event !== undefined) yield event;
  }

  /** True while the body is a page that cannot be described yet; throws once it can. */
  #isInPage(text: string): boolean {
    if (this.#page === undefined) return false;
    const page = (this.#page + text).trimStart();
    const isPage = isWebPage(page);
    if (isPage && isDescribable(page)) throw webPageError(page);
    this.#page = isPage || page === "" ? page : undefined;
    return isPage;
  }
}

/** Collects the lines of one event. */
class SseEventLines {
  #name: string | undefined;
  #data: string[] = [];
  #length = 0;

  /** Code units of all data lines so far, field names and line ends included. */
  get length(): number {
    return this.#length;
  }

  /** Takes one line without its line end; a blank line ends the event, which is returned if it has data. */
  add(line: string): SseEvent | undefined {
    if (line === "") return this.#take();
    const field = FIELD.exec(line);
    const value = field === null ? line : line.slice(field[0].length).replace(/^ /u, "");
    const name = field?.groups?.["name"];
    if (name === "error") this.#name = "error";
    if (field === null || name === "data" || name === "error") {
      this.#data.push(value);
      this.#length += line.length + 1;
    } else if (name === "event") {
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
