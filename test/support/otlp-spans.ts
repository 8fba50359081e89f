import { BinaryReader } from "@bufbuild/protobuf/wire";

/** A span as it was sent. */
export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  /** Empty for the first span of a trace. */
  readonly parentId: string;
  readonly name: string;
  /** 1 internal, 2 server, 3 client, 4 producer, 5 consumer. */
  readonly kind: number;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly events: readonly string[];
  /** 2 is an error. */
  readonly status: number;
  readonly resource: Readonly<Record<string, unknown>>;
}

/** Reads one message: `fields` has a reader for the value of each field that is wanted, by its number. */
function readMessage(
  bytes: Uint8Array,
  fields: Readonly<Record<number, (reader: BinaryReader) => void>>,
): void {
  const reader = new BinaryReader(bytes);
  while (reader.pos < reader.len) {
    const [field, type] = reader.tag();
    const read = fields[field];
    if (read === undefined) reader.skip(type, field);
    else read(reader);
  }
}

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");

/** The spans of an `opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest`, by the field numbers of its proto files. */
export function spansOf(body: Uint8Array): ReceivedSpan[] {
  const spans: ReceivedSpan[] = [];
  readMessage(body, {
    1: (request) => {
      let resource: Record<string, unknown> = {};
      const scopes: Uint8Array[] = [];
      readMessage(request.bytes(), {
        1: (part) => {
          const pairs: [string, unknown][] = [];
          readMessage(part.bytes(), { 1: (pair) => pairs.push(readPair(pair.bytes())) });
          resource = Object.fromEntries(pairs);
        },
        2: (part) => scopes.push(part.bytes()),
      });
      for (const scope of scopes) {
        readMessage(scope, { 2: (span) => spans.push(readSpan(span.bytes(), resource)) });
      }
    },
  });
  return spans;
}

function readSpan(bytes: Uint8Array, resource: Readonly<Record<string, unknown>>): ReceivedSpan {
  const span = { traceId: "", spanId: "", parentId: "", name: "", kind: 0, status: 0 };
  const attributes: [string, unknown][] = [];
  const events: string[] = [];
  readMessage(bytes, {
    1: (reader) => (span.traceId = hex(reader.bytes())),
    2: (reader) => (span.spanId = hex(reader.bytes())),
    4: (reader) => (span.parentId = hex(reader.bytes())),
    5: (reader) => (span.name = reader.string()),
    6: (reader) => (span.kind = reader.int32()),
    9: (reader) => attributes.push(readPair(reader.bytes())),
    11: (reader) => readMessage(reader.bytes(), { 2: (event) => events.push(event.string()) }),
    15: (reader) => readMessage(reader.bytes(), { 3: (code) => (span.status = code.int32()) }),
  });
  return { ...span, events, resource, attributes: Object.fromEntries(attributes) };
}

function readPair(bytes: Uint8Array): [string, unknown] {
  let key = "";
  let value: unknown;
  readMessage(bytes, {
    1: (reader) => (key = reader.string()),
    2: (reader) => (value = readValue(reader.bytes())),
  });
  return [key, value];
}

function readValue(bytes: Uint8Array): unknown {
  let value: unknown;
  readMessage(bytes, {
    1: (reader) => (value = reader.string()),
    2: (reader) => (value = reader.bool()),
    3: (reader) => (value = Number(reader.int64())),
    4: (reader) => (value = reader.double()),
    5: (reader) => {
      const items: unknown[] = [];
      readMessage(reader.bytes(), { 1: (item) => items.push(readValue(item.bytes())) });
      value = items;
    },
  });
  return value;
}
