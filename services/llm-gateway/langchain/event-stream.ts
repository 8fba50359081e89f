import { setback } from "../llm-error.ts";

/** One server-sent event; no name means the default one. */
export interface StreamEvent {
  readonly name: string | undefined;
  readonly data: string;
}

/** What to send on in an event's place; may keep state over one stream. */
export type RepairEvent = (event: StreamEvent) => readonly StreamEvent[];

const LF = 0x0a;

/**
 * Rewrites a stream of server-sent events, one by one as they come. The SDKs collect an event without a limit, so the
 * stream fails with `provider_error` once one has more than `maxBytes`. An event that breaks off at the end of the
 * stream is passed on, for the SDK to complain about.
 */
export function eventStream(repair: RepairEvent, maxBytes: number): TransformStream<Uint8Array, Uint8Array> {
  let line: Uint8Array[] = [];
  let lines: string[] = [];
  let eventBytes = 0;
  const takeEvent = (): Uint8Array => {
    const event = parseEvent(lines);
    lines = [];
    eventBytes = 0;
    return event === undefined ? new Uint8Array() : Buffer.from(repair(event).map(formatEvent).join(""));
  };
  const takeLine = (): Uint8Array => {
    const text = Buffer.concat(line)
      .toString("utf8")
      .replace(/\r?\n$|\r$/u, "");
    line = [];
    if (text === "") return takeEvent();
    lines.push(text);
    return new Uint8Array();
  };
  return new TransformStream({
    transform: (bytes, controller) => {
      const out: Uint8Array[] = [];
      for (let rest = bytes; rest.length > 0;) {
        const end = rest.indexOf(LF) + 1;
        const piece = end === 0 ? rest : rest.subarray(0, end);
        rest = rest.subarray(piece.length);
        line.push(piece);
        eventBytes += piece.length;
        if (eventBytes > maxBytes) {
          throw setback("provider_error", `the provider sent one message of more than ${maxBytes} bytes`);
        }
        if (end > 0) out.push(takeLine());
      }
      const all = Buffer.concat(out);
      if (all.length > 0) controller.enqueue(all);
    },
    flush: (controller) => {
      const all = Buffer.concat([line.length === 0 ? new Uint8Array() : takeLine(), takeEvent()]);
      if (all.length > 0) controller.enqueue(all);
    },
  });
}

function parseEvent(lines: readonly string[]): StreamEvent | undefined {
  let name: string | undefined;
  const data: string[] = [];
  for (const line of lines) {
    const { field = "", value = "" } = /^\uFEFF?(?<field>[^:]*):? ?(?<value>.*)$/su.exec(line)?.groups ?? {};
    if (field === "event") name = value;
    if (field === "data") data.push(value);
  }
  return data.length === 0 ? undefined : { name, data: data.join("\n") };
}

function formatEvent({ name, data }: StreamEvent): string {
  const head = name === undefined ? "" : `event: ${name}\n`;
  return `${head}${data
    .split("\n")
    .map((part) => `data: ${part}\n`)
    .join("")}\n`;
}
