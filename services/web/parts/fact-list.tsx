import { shownText } from "../session/shown-text.ts";
import "./fact-list.css";

/** Names with values; those without a value are left out. */
export function FactList({ rows }: { readonly rows: readonly (readonly [string, string | undefined])[] }) {
  return (
    <dl class="facts small">
      {rows.map(
        ([name, value]) =>
          value !== undefined && (
            <div key={name}>
              <dt>{name}</dt>
              <dd class="numbers">{shownText(value)}</dd>
            </div>
          ),
      )}
    </dl>
  );
}
