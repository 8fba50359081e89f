import { createHash } from "node:crypto";

/** The code in the markers of a session's frames: short, because a prompt repeats it; 48 random bits of the nonce's UUID. */
export function frameDigits(nonce: string): string {
  return nonce.replaceAll("-", "").slice(0, 12);
}

/** The code in the placeholders of variables. No prompt shows it, so no text of a model or a tool can name a variable. */
export function variableCode(nonce: string): string {
  return createHash("sha256").update(`variables of ${nonce}`).digest("hex").slice(0, 24);
}
