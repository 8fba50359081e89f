import { isOpen, type OpenRules } from "./open-entries.ts";
import { RowTops } from "./row-tops.ts";
import type { TimelineEntry } from "./session-view.ts";

/** The height of an open row that was never shown, in lines. */
const OPEN_LINES = 5;

/** How high the rows of a lane are: closed ones one line, open ones as they were measured last. */
export class RowHeights {
  readonly #line: number;
  readonly #measured = new Map<string, number>();
  #known:
    | { readonly entries: readonly TimelineEntry[]; readonly rules: OpenRules; readonly tops: RowTops }
    | undefined;

  constructor(line: number) {
    this.#line = line;
  }

  /** Takes the height of an open row. */
  measure(entryId: string, height: number): void {
    if (this.#measured.get(entryId) === height) return;
    this.#measured.set(entryId, height);
    this.#known = undefined;
  }

  tops(entries: readonly TimelineEntry[], rules: OpenRules): RowTops {
    if (this.#known?.entries === entries && this.#known.rules === rules) return this.#known.tops;
    const tops = new RowTops(entries.map((entry) => this.#heightOf(entry, rules)));
    this.#known = { entries, rules, tops };
    return tops;
  }

  #heightOf(entry: TimelineEntry, rules: OpenRules): number {
    if (!isOpen(entry, rules)) return this.#line;
    return this.#measured.get(entry.id) ?? OPEN_LINES * this.#line;
  }
}
