import type { TextRules } from "#shared/masking/mask-text.ts";
import type { MaskingRules } from "#shared/masking/masking-rules.ts";
import { compilePattern } from "#shared/masking/patterns/custom-patterns.ts";

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
