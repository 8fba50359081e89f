import { isObject } from "#shared/exact-json.ts";

/** The fields of a detail that come in pieces. */
const PIECES = ["text", "summary", "data"] as const;

/**
 * Collects OpenRouter's `reasoning_details` of one answer. They come in pieces: pieces of the same type and index are
 * one detail, whose texts are joined; of its other fields the last value counts.
 */
export class ReasoningDetails {
  readonly #details: Record<string, unknown>[] = [];

  /** Takes the details of one chunk, unchecked. */
  add(details: unknown): void {
    for (const piece of Array.isArray(details) ? details.filter(isObject) : []) this.#addPiece(piece);
  }

  /** The details so far. */
  get all(): readonly Record<string, unknown>[] {
    return this.#details;
  }

  #addPiece(piece: Record<string, unknown>): void {
    const begun = this.#details.at(-1);
    const isSame = begun !== undefined && ["type", "index"].every((key) => begun[key] === piece[key]);
    if (!isSame || isOther(begun, piece)) {
      this.#details.push({ ...piece });
      return;
    }
    for (const [key, value] of Object.entries(piece)) {
      if (value === null || value === undefined) continue;
      const former = begun[key];
      const isPiece = PIECES.some((known) => known === key);
      begun[key] =
        isPiece && typeof former === "string" && typeof value === "string" ? former + value : value;
    }
  }
}

/** Details without an index are distinguished by their ids. */
function isOther(begun: Record<string, unknown>, piece: Record<string, unknown>): boolean {
  const [former, id] = [begun["id"], piece["id"]];
  return typeof former === "string" && typeof id === "string" && former !== id;
}

/** The readable text of the details of one chunk. */
export function detailsText(details: unknown): string {
  return (Array.isArray(details) ? details.filter(isObject) : [])
    .map(({ text, summary }) => [text, summary].filter((part) => typeof part === "string").join(""))
    .join("");
}
