import { useCallback, useState } from "preact/hooks";
import { reviewable, type SessionList } from "./use-session-list.ts";

/** The sessions that the reader has selected for the review bar. */
export function useSelection(list: SessionList) {
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const select = useCallback((id: string, isSelected: boolean) => {
    setSelected((before) => {
      const after = new Set(before);
      if (isSelected) after.add(id);
      else after.delete(id);
      return after;
    });
  }, []);
  // What is not on the screen any more is not acted upon.
  const ids = reviewable(list.shown)
    .map(({ item }) => item.id)
    .filter((id) => selected.has(id));
  return { ids, selected: new Set(ids), select, setSelected };
}
