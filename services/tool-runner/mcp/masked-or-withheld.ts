/** Masks a text for models and logs; rejects if that fails. */
export type MaskText = (text: string) => Promise<string>;

const WITHHELD = "[withheld: masking failed]";

/** Masks a text; one whose masking fails is replaced by a remark. */
export async function maskedOrWithheld(text: string, mask: MaskText): Promise<string> {
  return text === "" ? "" : mask(text).catch(() => WITHHELD);
}
