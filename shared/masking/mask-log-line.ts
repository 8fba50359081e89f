import { MaskContext } from "#shared/masking/mask-context.ts";
import { maskForms } from "#shared/masking/patterns/mask-forms.ts";
import { formsOfSecrets, maskKnown } from "#shared/masking/patterns/known-values.ts";
import type { MaskingPattern } from "#shared/masking/patterns/built-in-patterns.ts";

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
