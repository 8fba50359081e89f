import { diffArrays } from "diff";

/** A part of two texts: in both, or in one of them. */
export interface DiffPart {
  readonly text: string;
  readonly side: "both" | "a" | "b";
}

/** So many changes are looked for; texts with more are shown as different as a whole, at once. */
const MAX_EDITS = 800;

/** A word, a run of spaces, or a single sign. */
const WORD = /[\p{L}\p{N}_]+|[^\S\n]+|[^\p{L}\p{N}_]/gu;

/** The words of two texts, those that both have and those of one. */
export function wordDiff(a: string, b: string): readonly DiffPart[] {
  const changes = diffArrays(a.match(WORD) ?? [], b.match(WORD) ?? [], { maxEditLength: MAX_EDITS });
  if (changes === undefined) {
    return [
      { text: a, side: "a" },
      { text: b, side: "b" },
    ];
  }
  return changes.map(({ value, added, removed }) => ({
    text: value.join(""),
    side: removed ? "a" : added ? "b" : "both",
  }));
}
