import { setback } from "../llm-error.ts";

const LINE_END = /\r\n?|\n/gu;
/** A field, or a comment; anything else, such as bare JSON, has no business in a stream of events. */
const FIELD = /^(?<name>[A-Za-z][\w-]*)?(?::|$)/u;

/**
 * Reads a response's body as server-sent events and yields the data of each: lines end in LF, CRLF or CR, several
 * `data` lines are joined, comments and other fields are passed over, and the last event needs no blank line behind it.
 * Lines that are no field come out as data too, for Google's front ends put a bare error object into a stream.
 * Throws RetryableError `provider_error` once an event has more than `maxLength` UTF-16 units, TypeError for bytes that
 * are not UTF-8, and whatever the body fails with. Leaving the loop early cancels the body.
 */
export async function* readEvents(
  body: AsyncIterable<Uint8Array>,
  maxLength: number,
): AsyncGenerator<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true }); // it also takes the byte order mark off
  const event = new EventLines();
  let line = "";
  let afterCr = false;
  for await (const bytes of body) {
    const text = decoder.decode(bytes, { stream: true });
    if (text === "") continue;
    let start = 0;
    for (const { index, 0: end } of text.matchAll(LINE_END)) {
      // The second half of a CRLF that was cut between two pieces ends no line of its own.
      const isRest = afterCr && index === 0 && end === "\n";
      const data = isRest ? undefined : event.add(line + text.slice(start, index));
      line = "";
      start = index + end.length;
      if (data !== undefined) yield data;
    }
    line += text.slice(start);
    afterCr = text.endsWith("\r");
    if (event.length + line.length > maxLength) {
      throw setback("provider_error", `the provider sent one message of more than ${maxLength} characters`);
    }
  }
  line += decoder.decode();
  const last = event.add(line) ?? event.add("");
  if (last !== undefined) yield last;
}

/** The lines of the event that is being read. */
class EventLines {
  #data: string[] = [];
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** Takes one line without its end; a blank one ends the event and gives its data, if it has any. */
  add(line: string): string | undefined {
    if (line === "") return this.#take();
    const field = FIELD.exec(line);
    if (field === null) this.#push(line);
    else if (field.groups?.["name"] === "data") this.#push(line.slice(field[0].length).replace(/^ /u, ""));
    return undefined;
  }

  #push(data: string): void {
    this.#data.push(data);
    this.#length += data.length;
  }

  #take(): string | undefined {
    if (this.#data.length === 0) return undefined;
    const data = this.#data.join("\n");
    this.#data = [];
    this.#length = 0;
    return data;
  }
}
