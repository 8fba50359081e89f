import { compileRules } from "#shared/masking/compile-rules.ts";
import { MaskContext } from "#shared/masking/mask-context.ts";
import { maskText, type MaskedText, type MaskOptions } from "#shared/masking/mask-text.ts";
import type { MaskingRules } from "#shared/masking/masking-rules.ts";
import { maskKnown } from "#shared/masking/patterns/known-values.ts";

/**
 * Masks a text by the rules of the configuration. Where they switch masking off, only `known` is masked, the forms of
 * the secrets of this process (`formsOfSecrets`): no evidence needs those. Throws TerminalError for an invalid pattern.
 */
export function maskByRules(
  text: string,
  rules: MaskingRules,
  { known, ...options }: Omit<MaskOptions, "rules"> & { readonly known: readonly string[] },
): MaskedText {
  if (rules.enabled) return maskText(text, { ...options, rules: compileRules(rules, known) });
  const context = new MaskContext(undefined, options.progress);
  const masked = maskKnown(text, known, context);
  return { text: masked, counts: context.counts(), values: [] };
}
