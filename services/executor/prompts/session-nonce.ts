import { frameDigits } from "#shared/contracts/prompt-codes.ts";

/**
 * The random text of a session's row, which no author of an alert can know before the session's first prompt; null for a session
 * that began before sessions had one. A resumed session has the same, so its prompts are the same.
 */
export type SessionNonce = string | null;

/** The code in the markers of frames, behind a space; empty without a nonce. */
export function frameCode(nonce: SessionNonce): string {
  return nonce === null ? "" : ` ${frameDigits(nonce)}`;
}
