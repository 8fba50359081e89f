import { setback } from "../llm-error.ts";

const LF = 0x0a;
/** A comment, or a field of a server-sent event that carries none of its data. */
const IDLE_LINE = /^(?::|(?:event|id|retry)(?::|$))/u;

/**
 * Passes a stream of server-sent events on without the lines that hold no data: the SDK silently loses an event that
 * does not begin with `data:`. It also collects one without a limit, so the stream fails with `provider_error` once an
 * event, or a line, has more than `maxBytes`.
 */
export function eventLines(maxBytes: number): TransformStream<Uint8Array, Uint8Array> {
  let line: Uint8Array[] = [];
  let eventBytes = 0;
  const takeLine = (): Uint8Array => {
    const bytes = Buffer.concat(line);
    line = [];
    const text = bytes.toString("latin1").trimEnd();
    if (text === "") eventBytes = 0;
    return IDLE_LINE.test(text) ? new Uint8Array() : bytes;
  };
  const send = (controller: TransformStreamDefaultController<Uint8Array>, lines: Uint8Array[]): void => {
    const bytes = Buffer.concat(lines);
    if (bytes.length > 0) controller.enqueue(bytes);
  };
  return new TransformStream({
    transform: (bytes, controller) => {
      const lines: Uint8Array[] = [];
      for (let rest = bytes; rest.length > 0;) {
        const end = rest.indexOf(LF) + 1;
        const piece = end === 0 ? rest : rest.subarray(0, end);
        rest = rest.subarray(piece.length);
        line.push(piece);
        eventBytes += piece.length;
        if (eventBytes > maxBytes) {
          throw setback("provider_error", `the provider sent one message of more than ${maxBytes} bytes`);
        }
        if (end > 0) lines.push(takeLine());
      }
      // What came together stays together: the SDK recognises a bare error by that.
      send(controller, lines);
    },
    flush: (controller) => send(controller, [takeLine()]),
  });
}
