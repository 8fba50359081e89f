import type { StreamedText } from "#shared/client/streamed-text.ts";
import { visiblePart } from "./shown-text.ts";

/** Where a text is shown, as far as it is needed here. */
export interface TextTarget {
  data: string;
  readonly appendData: (text: string) => void;
}

interface ShownText {
  readonly target: TextTarget;
  attempt: number;
  /** Code units of the text that are shown; controls take more room in the target. */
  length: number;
}

/**
 * Brings streamed text onto the screen: whatever arrives between two frames is appended once, to the text node itself.
 * Rendering components for each chunk would take most frames of a busy session.
 */
export class LiveTexts {
  readonly #shown = new Map<string, ShownText>();
  readonly #textOf: (entryId: string) => StreamedText | undefined;

  constructor(textOf: (entryId: string) => StreamedText | undefined) {
    this.#textOf = textOf;
  }

  /** Shows the text of an entry in `target` from now on; returns a function that ends that. */
  show(entryId: string, target: TextTarget): () => void {
    const shown: ShownText = { target, attempt: 0, length: 0 };
    target.data = "";
    this.#shown.set(entryId, shown);
    this.#bring(entryId, shown);
    return () => {
      if (this.#shown.get(entryId) === shown) this.#shown.delete(entryId);
    };
  }

  /** Called once per frame; true if any text has grown. */
  flush(): boolean {
    let grew = false;
    for (const [entryId, shown] of this.#shown) grew = this.#bring(entryId, shown) || grew;
    return grew;
  }

  #bring(entryId: string, shown: ShownText): boolean {
    const text = this.#textOf(entryId);
    if (text === undefined) return false;
    if (text.attempt !== shown.attempt) {
      shown.attempt = text.attempt;
      shown.length = 0;
      shown.target.data = "";
    }
    // After a reconnect the text comes from its beginning once more: what is shown of it stays.
    if (text.text.length <= shown.length) return false;
    shown.target.appendData(visiblePart(text.text.slice(shown.length)));
    shown.length = text.text.length;
    return true;
  }
}
