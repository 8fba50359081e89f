/** More comparisons are not worth it: all parts are joined then. */
const MAX_COMPARED = 50_000_000;
/** A part that begins like this is no rest of a value: white space, a structure of its own, a list, a key. */
const OWN_BEGINNING = /^(?:[\s{[<#|>]|---|[\w.-]{1,100}[ \t]{0,3}[:=])/u;

/** The text without the characters at these places, which ascend. */
export function removeAt(text: string, places: readonly number[]): string {
  if (places.length === 0) return text;
  const parts: string[] = [];
  let from = 0;
  for (const at of places) {
    parts.push(text.slice(from, at));
    from = at + 1;
  }
  parts.push(text.slice(from));
  return parts.join("");
}

/**
 * Those of the seams that split one of the values. `glued` is the text without the newlines at the seams, and `values` were
 * masked in it.
 */
export function splitSeams(glued: string, seams: readonly number[], values: ReadonlySet<string>): number[] {
  const total = [...values].reduce((sum, { length }) => sum + length, 0);
  if (total * seams.length > MAX_COMPARED) return [...seams];
  let before = 0;
  let wasSplit = false;
  return seams.filter((seam, index) => {
    const at = seam - index;
    const middle = glued.slice(before, at);
    before = at;
    // A value that came from the part before ends in this one where its first word ends.
    if (wasSplit && /\s/u.test(middle)) {
      wasSplit = false;
      return false;
    }
    wasSplit = splitsValue(at);
    return wasSplit;
  });

  function splitsValue(at: number): boolean {
    if (at >= glued.length || OWN_BEGINNING.test(glued.slice(at, at + 110))) return false;
    return [...values].some((value) => {
      const start = Math.max(0, at - value.length + 1);
      return value.length > 1 && glued.slice(start, at + value.length - 1).includes(value);
    });
  }
}
