import type { Words } from "#shared/masking/words.ts";

/** A form that secrets have by themselves. */
export interface Form {
  readonly kind: string;
  /** Found in every text with the form; the expression is not tried on others. */
  readonly hint: Words | RegExp;
  /**
   * Masks the group `secret`. Linear: it begins where a word or a line begins or with fixed characters, and every part that may
   * be matched in several ways has a limit.
   */
  readonly expression: RegExp;
}
