import { MASKING_PATTERNS } from "#shared/masking/patterns/built-in-patterns.ts";
import type { Masker } from "#shared/masking/masker.ts";
import type { MaskingRules } from "#shared/masking/masking-rules.ts";
import { safeCut } from "#shared/safe-cut.ts";

/** The parts that mask a session's content before it goes into a span. */
export interface ContentMasking {
  readonly sessionId: string;
  readonly masker: Pick<Masker, "mask">;
  /** By server id. */
  readonly maskingRules: ReadonlyMap<string, MaskingRules>;
}

/** Of one text, in UTF-16 code units; it is masked as a whole first. */
const MAX_PART = 8_192;
const CUT = "… [cut]";

/**
 * Returns a function that masks a text for a span: with every pattern there is, those of all servers and the process's secrets,
 * even where the configuration switches masking off, because traces leave the system. Alerts and results are masked before, with
 * what else is known of their secrets. The function rejects if masking fails; the text must then be left out.
 */
export function contentMask({ masker, maskingRules }: ContentMasking): (text: string) => Promise<string> {
  const custom = [...maskingRules.values()].flatMap((rules) => rules.custom);
  const rules: MaskingRules = { enabled: true, patterns: MASKING_PATTERNS, custom };
  return async (text) => {
    const masked = (await masker.mask(text, { rules })).text;
    return masked.length <= MAX_PART ? masked : masked.slice(0, safeCut(masked, MAX_PART)) + CUT;
  };
}
