import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { anchorOf } from "../../session/anchor-of.ts";
import { isOpen } from "../../session/open-entries.ts";
import { NO_ROWS, renderedRows, rowsNear } from "../../session/rendered-rows.ts";
import { RowHeights } from "../../session/row-heights.ts";
import { RowPool } from "../../session/row-pool.ts";
import type { TimelineEntry } from "../../session/session-view.ts";
import { EntryRow, type EntryRowProps } from "./entry-row.tsx";
import { onViewChange } from "./near-view.ts";
import type { SessionStore } from "./session-store.ts";
import "./entry-list.css";

/** A short list exists as a whole, in view or not. */
const SHORT = 20;
/** The height of a closed row in `rem`, as its style has it. */
const LINE_REM = 2.125;

interface EntryListProps {
  readonly entries: readonly TimelineEntry[];
  readonly store: SessionStore;
  /** The entry that the address or the search names. */
  readonly target: string | undefined;
}

/** The entries of a lane, of which those near the view exist, and empty space in place of the others. */
export function EntryList({ entries, store, target }: EntryListProps) {
  const place = useRef<HTMLDivElement>(null);
  const pool = useMemo(() => new RowPool(), []);
  const heights = useMemo(() => new RowHeights(LINE_REM * rootFontSize()), []);
  const [near, setNear] = useState(NO_ROWS);
  const [focused, setFocused] = useState<string>();
  const rules = store.open.value;
  const latest = useRef({ entries, rules });
  latest.current = { entries, rules };
  useEffect(
    () =>
      onViewChange(() => {
        if (place.current === null) return;
        const { top } = place.current.getBoundingClientRect();
        const tops = heights.tops(latest.current.entries, latest.current.rules);
        const next = rowsNear(tops, -top, window.innerHeight);
        setNear((last) => (last.from === next.from && last.to === next.to ? last : next));
      }),
    [heights],
  );
  const { length } = entries;
  const single = [target, focused].map((id) =>
    id === undefined ? -1 : entries.findIndex((entry) => entry.id === id),
  );
  const ranges = renderedRows(length <= SHORT ? { from: 0, to: length } : near, single, length);
  const places = pool.assign(ranges.flatMap(({ from, to }) => entries.slice(from, to).map(({ id }) => id)));
  const tops = heights.tops(entries, rules);
  const children = ranges.flatMap(({ from, to }, index) => [
    <Gap key={`gap ${index}`} height={tops.topOf(from) - tops.topOf(ranges[index - 1]?.to ?? 0)} />,
    ...entries
      .slice(from, to)
      .map((entry) => (
        <MemoRow
          key={places.get(entry.id)}
          entry={entry}
          store={store}
          opens={isOpen(entry, rules)}
          isTarget={entry.id === target}
          heights={heights}
        />
      )),
  ]);
  return (
    <div
      ref={place}
      // A row exists as long as it has the focus.
      onFocusIn={({ target: element }) => setFocused(entryOf(element))}
      onFocusOut={() => setFocused(undefined)}
    >
      {children}
      <Gap key="end" height={tops.topOf(length) - tops.topOf(ranges.at(-1)?.to ?? 0)} />
    </div>
  );
}

/** The room of the rows that are not rendered. */
function Gap({ height }: { readonly height: number }) {
  return <div class="entry-gap" style={{ height: `${height}px` }} />;
}

/** A row that is rendered again only if it shows something else. */
function MemoRow(props: EntryRowProps) {
  const { entry, store, opens, isTarget, heights } = props;
  return useMemo(() => <EntryRow {...props} />, [entry, store, opens, isTarget, heights]);
}

/** The entry of the row that an element is in. */
function entryOf(element: EventTarget | null): string | undefined {
  const row = element instanceof Element ? element.closest(".entry") : null;
  return row === null ? undefined : row.id.slice(anchorOf("").length);
}

function rootFontSize(): number {
  return Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
}
