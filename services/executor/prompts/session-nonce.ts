import { createHash } from "node:crypto";

/**
 * The random text of a session's row, which no author of an alert can know before the session's first prompt; null for a session
 * that began before sessions had one. A resumed session has the same, so its prompts are the same.
 */
export type SessionNonce = string | null;

/** The code in the markers of frames: short, because a prompt repeats it; 48 random bits of the nonce's UUID. */
export function frameCode(nonce: SessionNonce): string {
  return nonce === null ? "" : ` ${nonce.replaceAll("-", "").slice(0, 12)}`;
}

/** The code in the placeholders of variables. No prompt shows it, so no text of a model or a tool can name a variable. */
export function variableCode(nonce: string): string {
  return createHash("sha256").update(`variables of ${nonce}`).digest("hex").slice(0, 24);
}
