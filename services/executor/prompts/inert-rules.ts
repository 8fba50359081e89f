/**
 * Text with every run of three or more `=` or `═` broken up by backslashes, for prompts that separate their parts by
 * such rules. Only for those: in any other prompt the characters mean nothing and stay.
 */
export function inertRules(text: string): string {
  return text.replaceAll(/[=═]{3,}/g, (rule) => rule.replaceAll(/./g, String.raw`\$&`));
}
