import { shownText } from "../session/shown-text.ts";

/** As much as a browser lays out at once without a pause. */
const LIMIT = 64 * 1_024;

/** The part of a text that is shown, with controls visible, and how many characters follow. */
export function shownPart(text: string, showsAll: boolean): { readonly part: string; readonly rest: number } {
  if (showsAll) return { part: shownText(text), rest: 0 };
  return { part: shownText(text.slice(0, LIMIT)), rest: Math.max(0, text.length - LIMIT) };
}
