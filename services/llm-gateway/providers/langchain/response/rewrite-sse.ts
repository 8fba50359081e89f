import { SseParser, type SseEvent } from "../../../sse/parse-sse.ts";

/** Returns the events to pass on instead of one event; may keep state over one answer. */
export type RepairEvent = (event: SseEvent) => readonly SseEvent[];

/**
 * Rewrites server-sent events as they arrive, for an SDK to read, and calls `heard` at all bytes: the SDKs buffer an event without a limit and do not
 * understand every form that servers send. Fails as SseParser does. An incomplete event at the end is passed on; the
 * SDK reports it.
 */
export function rewriteSse(
  repair: RepairEvent,
  maxLength: number,
  heard: () => void,
): TransformStream<Uint8Array, Uint8Array> {
  const reader = new SseParser(maxLength);
  const write = (events: Iterable<SseEvent>, to: TransformStreamDefaultController<Uint8Array>) => {
    let text = "";
    for (const event of events) text += repair(event).map(formatEvent).join("");
    if (text !== "") to.enqueue(Buffer.from(text));
  };
  return new TransformStream({
    transform: (bytes, controller) => {
      heard();
      write(reader.read(bytes), controller);
    },
    flush: (controller) => write(reader.end(), controller),
  });
}

function formatEvent({ name, data }: SseEvent): string {
  const head = name === undefined ? "" : `event: ${name}\n`;
  return `${head}${data
    .split("\n")
    .map((part) => `data: ${part}\n`)
    .join("")}\n`;
}
