import { createHash } from "node:crypto";

/** Stands in a cassette where the session's prompts have the code of their frames. */
export const FRAME_CODE = "@tarsy:frame@";
/** Stands in a cassette where its prompts have the code of their variables. */
export const VARIABLE_CODE = "@tarsy:variable@";

/** The codes of a session's prompts; null for one from before prompts had them. */
interface FrameCodes {
  /** In the markers of frames: short, because a prompt repeats it; 48 random bits of the nonce's UUID. */
  readonly frame: string;
  /** In the placeholders of variables. No prompt shows it, so no text of a model or a tool can name a variable. */
  readonly variable: string;
}

/** The codes that follow from a session's nonce. */
export function frameCodes(nonce: string): FrameCodes {
  return {
    frame: nonce.replaceAll("-", "").slice(0, 12),
    variable: createHash("sha256").update(`variables of ${nonce}`).digest("hex").slice(0, 24),
  };
}

/** The text with placeholders for the codes of a session, which must not leave it. */
export function hideFrameCodes(text: string, nonce: string | null): string {
  if (nonce === null) return text;
  const { frame, variable } = frameCodes(nonce);
  return text.replaceAll(variable, VARIABLE_CODE).replaceAll(frame, FRAME_CODE);
}

/** The text of a cassette with the codes of the session that it is imported as. */
export function showFrameCodes(text: string, nonce: string): string {
  const { frame, variable } = frameCodes(nonce);
  return text.replaceAll(VARIABLE_CODE, variable).replaceAll(FRAME_CODE, frame);
}
