/** The code of a listing without an answer of a tool-runner. */
export const NO_RUNNER = "no_runner";

/** The remark about a server whose tools are those of an earlier listing. */
export const STALE = "the server does not answer: its tools are those of an earlier listing";

/** How the remark about tools begins that were asked for and are not offered. */
export const NOT_OFFERED = "asked for but not offered: ";

const SEPARATOR = "; ";

/** The remarks of a server's listing as one text; null if there are none. */
export function joinRemarks(remarks: readonly string[]): string | null {
  return remarks.length === 0 ? null : remarks.join(SEPARATOR);
}

/** The remarks that `joinRemarks` has joined; one that has the separator in itself becomes several. */
export function splitRemarks(text: string): string[] {
  return text.split(SEPARATOR);
}
