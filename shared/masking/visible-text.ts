/** Colours and links of terminals (as they are or in words), characters without a width, and the wide forms of ASCII. */
const UNUSUAL =
  // oxlint-disable-next-line no-control-regex -- the escape character begins a colour
  /\u001B\[[\d;:?]{0,40}[A-Za-z]|\u001B\]8;[^\u0007\u001B]{0,2000}(?:\u0007|\u001B\\)|\\(?:x1[bB]|033|e)\[[\d;]{0,20}m|[\u00AD\u180E\u200B-\u200F\u2060-\u2064\uFEFF]|[\uFF01-\uFF5E]/g;
const PLACEHOLDER = /\[MASKED_[A-Z0-9_]{1,40}(?::[0-9a-f]{6})?\]/g;
/** The distance from an ordinary letter to its wide form. */
const WIDE = 0xfe_e0;
/** Each may cost a search through the whole text. */
const MAX_MISSES = 20;

/** A part of the text that is visible as it is: where it begins in the text and among what is visible. */
interface OffsetPair {
  readonly visible: number;
  readonly text: number;
}

/**
 * Masks a text as a reader sees it: without colours and characters that have no width, and with the wide forms of letters as
 * ordinary ones. What is not masked stays as it was written. Takes time proportional to the text.
 */
export function maskVisible(text: string, mask: (visible: string) => string): string {
  if (text.search(UNUSUAL) === -1) return mask(text);
  const parts: OffsetPair[] = [];
  const pieces: string[] = [];
  let visible = 0;
  let copied = 0;
  for (const { index, 0: found } of text.matchAll(UNUSUAL)) {
    const isWide = found.charCodeAt(0) > WIDE && found.length === 1;
    parts.push({ visible, text: copied });
    const folded = isWide ? String.fromCharCode(found.charCodeAt(0) - WIDE) : "";
    pieces.push(text.slice(copied, index), folded);
    visible += index - copied;
    if (folded !== "") parts.push({ visible, text: index });
    visible += folded.length;
    copied = index + found.length;
  }
  parts.push({ visible, text: copied });
  const whole = pieces.join("") + text.slice(copied);
  const masked = mask(whole);
  return masked === whole ? text : restore(masked, { whole, text, parts });
}

interface VisibleSource {
  readonly whole: string;
  readonly text: string;
  readonly parts: readonly OffsetPair[];
}

/** Puts what stands between placeholders as it was written: only text that the masked one shows, too, comes back. */
function restore(masked: string, { whole, text, parts }: VisibleSource): string {
  const restored: string[] = [];
  let from = 0;
  let at = 0;
  let misses = 0;
  let part = 0;
  for (const { index, 0: placeholder } of masked.matchAll(PLACEHOLDER)) {
    const head = from === index && from === 0 ? text.slice(0, placeOf(0)) : "";
    restored.push(head, written(masked.slice(from, index)), placeholder);
    from = index + placeholder.length;
  }
  restored.push(
    from === masked.length ? text.slice(placeOf(whole.length - 1) + 1) : written(masked.slice(from)),
  );
  return restored.join("");

  function written(piece: string): string {
    const start = piece === "" || misses >= MAX_MISSES ? -1 : whole.indexOf(piece, at);
    if (start === -1) {
      misses += piece === "" ? 0 : 1;
      return piece;
    }
    at = start + piece.length;
    const first = start === 0 ? 0 : placeOf(start - 1) + 1;
    return text.slice(first, at === whole.length ? text.length : placeOf(at));
  }

  /** The offset of a visible character in the text; asked for in ascending order. */
  function placeOf(place: number): number {
    while (part + 1 < parts.length && (parts[part + 1]?.visible ?? Infinity) <= place) part += 1;
    const { visible = 0, text: start = 0 } = parts[part] ?? {};
    return start + place - visible;
  }
}
