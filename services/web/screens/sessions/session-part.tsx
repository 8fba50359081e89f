import type { ComponentChildren } from "preact";
import type { SessionItem } from "./list-filters.ts";
import type { ListRow } from "./list-rows.ts";
import { SessionRow } from "./session-row.tsx";

const NONE: ReadonlySet<string> = new Set();

interface SessionPartProps {
  readonly title: string;
  readonly rows: readonly ListRow[];
  readonly selected?: ReadonlySet<string>;
  /** Undefined where rows are not selected. */
  readonly onSelect?: ((id: string, isSelected: boolean) => void) | undefined;
  /** What can be done with a session of this part. */
  readonly actionsOf?: (item: SessionItem) => ComponentChildren;
  /** What stands in place of rows; without it the part is left out then. */
  readonly empty?: string;
}

/** Sessions that belong together, under their heading. */
export function SessionPart(props: SessionPartProps) {
  const { title, rows, selected = NONE, onSelect, actionsOf, empty } = props;
  if (rows.length === 0 && empty === undefined) return null;
  return (
    <section class="session-part" aria-label={title}>
      <h2>{title}</h2>
      {rows.length === 0 ? (
        <p class="soft small">{empty}</p>
      ) : (
        <ul>
          {rows.map((row) => (
            <SessionRow
              key={row.item.id}
              row={row}
              isSelected={selected.has(row.item.id)}
              onSelect={onSelect}
            >
              {actionsOf?.(row.item)}
            </SessionRow>
          ))}
        </ul>
      )}
    </section>
  );
}
