import type { Masker } from "#shared/masking/masker.ts";
import type { MaskingRules } from "#shared/masking/masking-rules.ts";

const WITHHELD = "[withheld: masking failed]";

/** A text of no session, masked; a remark in its place if that fails. Never rejects. */
export async function maskOrWithhold(
  masker: Pick<Masker, "mask">,
  text: string,
  rules: MaskingRules,
): Promise<string> {
  if (text === "") return text;
  return masker.mask(text, { rules }).then(
    (masked) => masked.text,
    () => WITHHELD,
  );
}
