import type { ComponentChildren } from "preact";
import "./data-table.css";

interface TableColumn {
  readonly text: string;
  /** Numbers stand at the right. */
  readonly isNumber?: boolean;
}

interface DataTableProps {
  readonly caption: string;
  /** Shows the caption to screen readers only. */
  readonly hidesCaption?: boolean;
  readonly columns: readonly TableColumn[];
  readonly rows: readonly { readonly key: string; readonly cells: readonly ComponentChildren[] }[];
}

/** A table that scrolls sideways by itself where it is wider than the page. The first cell of a row names it. */
export function DataTable({ caption, hidesCaption = false, columns, rows }: DataTableProps) {
  return (
    <div class="data-table" tabIndex={0} role="group" aria-label={caption}>
      <table>
        <caption class={hidesCaption ? "hidden-text" : ""}>{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ text, isNumber = false }) => (
              <th key={text} scope="col" class={isNumber ? "numbers" : ""}>
                {text}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, cells }) => (
            <tr key={key}>
              {cells.map((cell, index) =>
                index === 0 ? (
                  <th key={index} scope="row">
                    {cell}
                  </th>
                ) : (
                  <td key={index} class={columns[index]?.isNumber === true ? "numbers" : ""}>
                    {cell}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
