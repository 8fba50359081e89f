import { crc32 } from "node:zlib";

/** The content type of AWS's binary event streams. */
export const EVENT_STREAM = "application/vnd.amazon.eventstream";

const STRING_TYPE = 7;

/** One message of an AWS event stream: lengths, CRC of the lengths, headers, payload, CRC of it all. */
export function encodeMessage(headers: Readonly<Record<string, string>>, payload: object): Buffer {
  const head = Buffer.concat(Object.entries(headers).map(([name, value]) => encodeHeader(name, value)));
  const body = Buffer.from(JSON.stringify(payload));
  const prelude = Buffer.alloc(8);
  prelude.writeUInt32BE(head.length + body.length + 16, 0);
  prelude.writeUInt32BE(head.length, 4);
  const message = Buffer.concat([prelude, checksum(prelude), head, body]);
  return Buffer.concat([message, checksum(message)]);
}

/** An event, as Bedrock sends it. */
export function encodeEvent(type: string, payload: object): Buffer {
  return encodeMessage(
    { ":event-type": type, ":content-type": "application/json", ":message-type": "event" },
    payload,
  );
}

/** An exception in a stream. */
export function encodeException(type: string, message: string): Buffer {
  return encodeMessage(
    { ":exception-type": type, ":content-type": "application/json", ":message-type": "exception" },
    { message },
  );
}

function encodeHeader(name: string, value: string): Buffer {
  const nameBytes = Buffer.from(name);
  const valueBytes = Buffer.from(value);
  const length = Buffer.alloc(2);
  length.writeUInt16BE(valueBytes.length);
  return Buffer.concat([
    Buffer.from([nameBytes.length]),
    nameBytes,
    Buffer.from([STRING_TYPE]),
    length,
    valueBytes,
  ]);
}

function checksum(bytes: Buffer): Buffer {
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(bytes));
  return sum;
}
