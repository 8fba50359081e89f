/** Which rows of a list of equal heights are near the view. `to` is behind the last one. */
interface RowWindow {
  readonly from: number;
  readonly to: number;
}

interface WindowView {
  readonly scrollTop: number;
  readonly height: number;
  readonly rowHeight: number;
  readonly count: number;
}

/** Rows beyond each edge, so that a turn of the wheel shows no empty space. */
const OVERSCAN = 12;

/** The rows to render. */
export function rowWindow({ scrollTop, height, rowHeight, count }: WindowView): RowWindow {
  const from = Math.max(0, Math.floor(scrollTop / rowHeight) - OVERSCAN);
  const to = Math.min(count, Math.ceil((scrollTop + height) / rowHeight) + OVERSCAN);
  return { from: Math.min(from, count), to: Math.max(to, 0) };
}

/** Where to scroll so that a row is in the view; the present place if it is. */
export function scrollTopFor(
  index: number,
  { scrollTop, height, rowHeight }: Omit<WindowView, "count">,
): number {
  const top = index * rowHeight;
  if (top < scrollTop) return top;
  return top + rowHeight > scrollTop + height ? top + rowHeight - height : scrollTop;
}
