import { MaskContext } from "#shared/masking/mask-context.ts";
import { maskText, type MaskedText, type MaskOptions, type TextRules } from "#shared/masking/mask-text.ts";
import type { MaskingRules } from "#shared/masking/masking-rules.ts";
import { maskKnown, formsOfSecrets } from "#shared/masking/patterns/known-values.ts";
import { compilePattern } from "#shared/masking/patterns/custom-patterns.ts";
import { maskForms } from "#shared/masking/patterns/mask-forms.ts";
import type { MaskingPattern } from "#shared/masking/patterns/built-in-patterns.ts";

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

const MAX_CACHED = 200;
const compiled = new Map<string, TextRules>();

/** The rules with their expressions compiled, once for each different set. Throws TerminalError for an invalid pattern. */
export function compileRules({ patterns, custom }: MaskingRules, known: readonly string[]): TextRules {
  const name = JSON.stringify([patterns, custom]);
  const cached = compiled.get(name);
  if (cached !== undefined && cached.known === known) return cached;
  const rules = { patterns: new Set(patterns), custom: custom.map(compilePattern), known };
  if (compiled.size < MAX_CACHED) compiled.set(name, rules);
  return rules;
}

const NO_PATTERNS: ReadonlySet<MaskingPattern> = new Set();

/**
 * Returns a function that masks the process's own secrets in a line of its log, and what is a secret by its form: tokens of
 * known services, headers, passwords in URLs. Placeholders have no digits.
 */
export function logLineMask(known: readonly string[]): (line: string) => string {
  const forms = formsOfSecrets(known);
  return (line) => {
    const context = new MaskContext(undefined);
    return maskForms(maskKnown(line, forms, context), NO_PATTERNS, context);
  };
}
