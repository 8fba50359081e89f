import { postgresSafeText } from "#shared/postgres-safe-text.ts";
import type { CollectedResult } from "#shared/tool-results/show-result.ts";

/** A longer run without white space is cut where it is. */
const MAX_WORD = 8_192;

/** The result with its text masked by `mask`. Throws what `mask` throws. */
export async function maskResult(
  result: CollectedResult,
  mask: (text: string) => Promise<string>,
): Promise<CollectedResult> {
  const { text, changed } = postgresSafeText(
    await mask(result.isWhole ? result.text : dropIncompleteWord(result.text)),
  );
  return { ...result, text, isText: result.isText && !changed };
}

/** Drops what follows the last white space of a text that goes on: half a secret does not look like one. */
function dropIncompleteWord(text: string): string {
  const end = text.slice(-MAX_WORD).search(/\s\S*$/u);
  return end === -1 ? text : text.slice(0, Math.max(0, text.length - MAX_WORD) + end);
}
