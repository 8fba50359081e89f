import { isUtf8 } from "node:buffer";
import { MAX_RESULT_BYTES } from "#shared/contracts/tool-call.ts";
import { postgresSafeText } from "#shared/postgres-safe-text.ts";
import { safeCut } from "#shared/safe-cut.ts";
import type { ToolOutput } from "./tool.ts";

const NOT_TEXT = "\n[Not all of this result is text: what could not be shown is replaced by \uFFFD.]";
/** At least the length of both remarks. */
const REMARK_CHARS = 250;

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/**
 * Reads a tool's output to its end and returns it as Postgres-safe text of at most `maxChars` code units and 256 KiB of
 * UTF-8. The limits include a remark on how much was truncated and one on bytes that are not text, which become U+FFFD.
 * Memory is bounded by the limits, not by the output. Throws what the output throws.
 */
export async function collectResult(content: ToolOutput["content"], maxChars: number): Promise<string> {
  const pieces: Uint8Array[] = [];
  let collected = 0;
  let total = 0;
  for await (const piece of content) {
    const bytes = typeof piece === "string" ? encoder.encode(piece) : piece;
    total += bytes.length;
    const room = MAX_RESULT_BYTES - collected;
    if (room <= 0) continue;
    // A copy, because a subarray would keep the whole piece in memory.
    const part = Uint8Array.from(bytes.length <= room ? bytes : bytes.subarray(0, room));
    pieces.push(part);
    collected += part.length;
  }
  return toResultText(Buffer.concat(pieces), total, maxChars);
}

function toResultText(received: Buffer, total: number, maxChars: number): string {
  const bytes = received.length < total ? dropIncompleteCharacter(received) : received;
  const { text, changed } = postgresSafeText(decoder.decode(bytes));
  const remark = changed || !isUtf8(bytes) ? NOT_TEXT : "";
  if (received.length === total && fits(text + remark, maxChars)) return text + remark;
  const start = truncate(text, maxChars - REMARK_CHARS);
  return `${start}\n[Cut: this result has ${total} bytes, only the first ${sourceBytes(bytes, start)} are shown.]${remark}`;
}

function fits(text: string, maxChars: number): boolean {
  return text.length <= maxChars && Buffer.byteLength(text) <= MAX_RESULT_BYTES;
}

/** The longest start of the text that is within the limits and splits no character. */
function truncate(text: string, maxChars: number): string {
  const start = text.slice(0, safeCut(text, maxChars));
  const room = new Uint8Array(MAX_RESULT_BYTES - 2 * REMARK_CHARS);
  return start.slice(0, encoder.encodeInto(start, room).read);
}

/** How many source bytes a start of the text covers; approximate if the source is not UTF-8. */
function sourceBytes(source: Buffer, start: string): number {
  return Math.min(Buffer.byteLength(start), source.length);
}

/** Drops a character that the byte limit split, which would otherwise look like invalid input. */
function dropIncompleteCharacter(bytes: Buffer): Buffer {
  for (let dropped = 0; dropped <= 3; dropped += 1) {
    const start = bytes.subarray(0, bytes.length - dropped);
    if (isUtf8(start)) return start;
  }
  return bytes;
}
