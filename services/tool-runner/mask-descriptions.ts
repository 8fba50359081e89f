import type { Masker } from "#shared/masking/masker.ts";
import { rulesOfServer, type MaskingRules } from "#shared/masking/masking-rules.ts";
import type { ToolCatalogue } from "./tool.ts";
import { maskedOrWithheld } from "./mcp/masked-or-withheld.ts";

/**
 * The catalogue with descriptions and schemas masked, which go into prompts. Their placeholders have no digits: a description
 * belongs to no session. Throws TerminalError if masking fails.
 */
export async function maskDescriptions(
  tools: ToolCatalogue,
  masker: Masker,
  maskingRules: ReadonlyMap<string, MaskingRules>,
): Promise<ToolCatalogue> {
  const masked = [...tools].map(async ([name, tool]) => {
    const { description } = tool;
    const rules = maskingRules.get(description.server) ?? rulesOfServer();
    const [text, schema] = await Promise.all([
      masker.mask(description.description, { rules }),
      masker.mask(description.parameters_schema, { rules }),
    ]);
    const shown = { ...description, description: text.text, parameters_schema: schema.text };
    return [name, { description: shown, call: tool.call.bind(tool) }] as const;
  });
  return new Map(await Promise.all(masked));
}

/** The reason why servers cannot be used, by server id, masked for prompts: a reason may quote the configuration. Never throws. */
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
