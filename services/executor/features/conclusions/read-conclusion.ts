import type { Conclusion } from "#shared/contracts/conclusion.ts";

/** A conclusion with the slips that were mended, or a sentence for the model that says why it is none. */
export type ReadConclusion =
  | { readonly conclusion: Conclusion; readonly mended: readonly string[] }
  | { readonly problem: string };

/** Reads the arguments of a call of `tarsy.conclude`. */
export function readConclusion(_parameters: unknown): ReadConclusion {
  return { problem: "tarsy.conclude cannot be read yet." };
}
