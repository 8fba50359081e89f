import { frameDigits, variableCode } from "#shared/contracts/prompt-marks.ts";

/** Stands in a cassette where the session's prompts have the code of their frames. */
const FRAME_CODE = "@tarsy:frame@";
/** Stands in a cassette where its prompts have the code of their variables. */
export const VARIABLE_CODE = "@tarsy:variable@";

/** The text with placeholders for the codes of a session, which must not leave it. */
export function hideFrameCodes(text: string, nonce: string | null): string {
  if (nonce === null) return text;
  return text.replaceAll(variableCode(nonce), VARIABLE_CODE).replaceAll(frameDigits(nonce), FRAME_CODE);
}

/** The text of a cassette with the codes of the session that it is imported as. */
export function showFrameCodes(text: string, nonce: string): string {
  return text.replaceAll(VARIABLE_CODE, variableCode(nonce)).replaceAll(FRAME_CODE, frameDigits(nonce));
}
