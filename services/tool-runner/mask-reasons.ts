import type { Masker } from "#shared/masking/masker.ts";
import { rulesOfServer, type MaskingRules } from "#shared/masking/masking-rules.ts";
import { maskedOrWithheld } from "./mcp/mask-listing.ts";

/** Why servers cannot be used, by server id, masked for prompts: a reason may quote the configuration. Never throws. */
export async function maskReasons(
  reasons: ReadonlyMap<string, string>,
  masker: Masker,
  maskingRules: ReadonlyMap<string, MaskingRules>,
): Promise<ReadonlyMap<string, string>> {
  const masked = [...reasons].map(async ([id, reason]) => {
    const rules = maskingRules.get(id) ?? rulesOfServer();
    return [
      id,
      await maskedOrWithheld(reason, async (text) => (await masker.mask(text, { rules })).text),
    ] as const;
  });
  return new Map(await Promise.all(masked));
}
