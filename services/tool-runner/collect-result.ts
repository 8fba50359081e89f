import { isUtf8 } from "node:buffer";
import { KEPT_RESULT_LIMITS } from "#shared/contracts/result-sizes.ts";
import { MAX_RESULT_BYTES } from "#shared/contracts/tool-call.ts";
import { postgresSafeText } from "#shared/postgres-safe-text.ts";
import type { CollectedResult } from "#shared/tool-results/show-result.ts";
import type { ByteReservation } from "./byte-budget.ts";
import type { ToolOutput } from "./tool.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/**
 * Reads a tool's output to its end and returns its first 16 MiB as text, or at least 256 KiB while `memory` is short.
 * Memory is bounded by these limits, not by the output. Throws what the output throws.
 */
export async function collectResult(
  content: ToolOutput["content"],
  memory: Pick<ByteReservation, "grow">,
): Promise<CollectedResult> {
  const pieces: Uint8Array[] = [];
  let collected = 0;
  let total = 0;
  let limit: number = KEPT_RESULT_LIMITS.call;
  for await (const piece of content) {
    const bytes = typeof piece === "string" ? encoder.encode(piece) : piece;
    total += bytes.length;
    const wanted = Math.min(bytes.length, limit - collected);
    if (wanted <= 0) continue;
    // A gap in the middle of a text would not be seen.
    if (collected + wanted > MAX_RESULT_BYTES && !memory.grow(wanted)) {
      limit = Math.max(collected, MAX_RESULT_BYTES);
    }
    // A copy, because a subarray would keep the whole piece in memory.
    const part = Uint8Array.from(bytes.subarray(0, Math.min(wanted, limit - collected)));
    pieces.push(part);
    collected += part.length;
  }
  const received = Buffer.concat(pieces);
  const isWhole = received.length === total;
  const bytes = isWhole ? received : dropIncompleteCharacter(received);
  const { text, changed } = postgresSafeText(decoder.decode(bytes));
  return { text, totalBytes: total, isWhole, isText: !changed && isUtf8(bytes) };
}

/** Drops a character that the byte limit split, which would otherwise look like invalid input. */
function dropIncompleteCharacter(bytes: Buffer): Buffer {
  for (let dropped = 0; dropped <= 3; dropped += 1) {
    const start = bytes.subarray(0, bytes.length - dropped);
    if (isUtf8(start)) return start;
  }
  return bytes;
}
