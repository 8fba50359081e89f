/** The last line while it may still become the claim: a bare word, perhaps in bold, with only white space around it. */
const MAY_BE_CLAIM = /^\s*(?:\*{1,2}|_{1,2})?(?:y|ye|yes|n|no)?(?:\*{1,2}|_{1,2})?\s*$/iu;

/**
 * Keeps the last line of an action agent's answer out of the live text: holds the end of the text back while it may be the
 * line YES or NO. The complete text decides what is stored.
 */
export class HeldClaim {
  #held = "";

  /** Takes the next part of the text; returns what may be shown. */
  push(delta: string): string {
    const text = this.#held + delta;
    const start = claimStart(text);
    this.#held = text.slice(start);
    return text.slice(0, start);
  }
}

/** Where the end of the text begins that may be the claim with the white space before it; the text's length for none. */
function claimStart(text: string): number {
  const trimmed = text.trimEnd();
  const lastLine = trimmed.lastIndexOf("\n") + 1;
  // A line without an end has not begun as one of its own: the first line is no claim.
  const isLine = lastLine > 0 || text.startsWith("\n");
  const from = isLine && MAY_BE_CLAIM.test(trimmed.slice(lastLine)) ? lastLine : trimmed.length;
  return text.slice(0, from).trimEnd().length;
}
