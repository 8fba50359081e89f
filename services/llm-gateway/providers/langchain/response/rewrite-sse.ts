import { SseParser, type SseEvent } from "../../../sse/parse-sse.ts";

/** What to send on in an event's place; may keep state over one stream. */
export type RepairEvent = (event: SseEvent) => readonly SseEvent[];

/**
 * Rewrites a stream of server-sent events, one by one as they come, for an SDK to read: the SDKs collect an event
 * without a limit and do not know every form in which servers send one. Fails as SseParser does. An event that breaks
 * off at the end of the stream is passed on, for the SDK to complain about.
 */
export function rewriteSse(repair: RepairEvent, maxLength: number): TransformStream<Uint8Array, Uint8Array> {
  const reader = new SseParser(maxLength);
  const write = (events: Iterable<SseEvent>, to: TransformStreamDefaultController<Uint8Array>) => {
    let text = "";
    for (const event of events) text += repair(event).map(formatEvent).join("");
    if (text !== "") to.enqueue(Buffer.from(text));
  };
  return new TransformStream({
    transform: (bytes, controller) => write(reader.read(bytes), controller),
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
