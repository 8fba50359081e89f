import { frameDigits } from "#shared/contracts/prompt-marks.ts";

/**
 * The random text of a session's row, which no author of an alert can know before the session's first prompt. A resumed session has the same, so its prompts are the same.
 */
export type SessionNonce = string;

/** The code in the markers of frames, behind a space. */
export function frameCode(nonce: SessionNonce): string {
  return ` ${frameDigits(nonce)}`;
}
