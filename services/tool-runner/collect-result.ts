import { isUtf8 } from "node:buffer";
import { MAX_RESULT_BYTES } from "#shared/contracts/tool-call.ts";
import { storableText } from "#shared/storable-text.ts";
import { safeCut } from "#shared/surrogate-guard.ts";
import type { ToolOutput } from "./tool.ts";

const NOT_TEXT = "\n[Not all of this result is text: what could not be shown is replaced by \uFFFD.]";
/** Room for both remarks. */
const REMARK_CHARS = 250;

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/**
 * Reads a tool's output to its end but keeps no more of it than may be stored: at most `maxChars` UTF-16 units and 256
 * KiB of UTF-8, remarks included that say how much was cut and that not all was text. What Postgres cannot store
 * becomes U+FFFD. Passes on what the output throws.
 */
export async function collectResult(content: ToolOutput["content"], maxChars: number): Promise<string> {
  const pieces: Uint8Array[] = [];
  let kept = 0;
  let total = 0;
  for await (const piece of content) {
    const bytes = typeof piece === "string" ? encoder.encode(piece) : piece;
    total += bytes.length;
    const room = MAX_RESULT_BYTES - kept;
    if (room <= 0) continue;
    // A copy: a slice would keep the whole piece alive.
    const part = Uint8Array.from(bytes.length <= room ? bytes : bytes.subarray(0, room));
    pieces.push(part);
    kept += part.length;
  }
  return presentable(Buffer.concat(pieces), total, maxChars);
}

function presentable(received: Buffer, total: number, maxChars: number): string {
  const bytes = received.length < total ? withoutBrokenEnd(received) : received;
  const { text, changed } = storableText(decoder.decode(bytes));
  const remark = changed || !isUtf8(bytes) ? NOT_TEXT : "";
  if (received.length === total && fits(text + remark, maxChars)) return text + remark;
  const shown = cut(text, maxChars - REMARK_CHARS);
  return `${shown}\n[Cut: this result has ${total} bytes, only the first ${sourceBytes(bytes, shown)} are shown.]${remark}`;
}

function fits(text: string, maxChars: number): boolean {
  return text.length <= maxChars && Buffer.byteLength(text) <= MAX_RESULT_BYTES;
}

/** The longest beginning within the limits that splits no character. */
function cut(text: string, maxChars: number): string {
  const start = text.slice(0, safeCut(text, maxChars));
  const room = new Uint8Array(MAX_RESULT_BYTES - 2 * REMARK_CHARS);
  return start.slice(0, encoder.encodeInto(start, room).read);
}

/** How much of the source a beginning of its text stands for; where that is no UTF-8, about. */
function sourceBytes(source: Buffer, shown: string): number {
  return Math.min(Buffer.byteLength(shown), source.length);
}

/** Drops a character that was cut in two, which would look as if the source were broken. */
function withoutBrokenEnd(bytes: Buffer): Buffer {
  for (let dropped = 0; dropped <= 3; dropped += 1) {
    const start = bytes.subarray(0, bytes.length - dropped);
    if (isUtf8(start)) return start;
  }
  return bytes;
}
