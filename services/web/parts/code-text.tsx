import { useState } from "preact/hooks";
import { shownText } from "../session/shown-text.ts";
import { TEXT } from "../text.ts";
import "./code-text.css";

/** As much as a browser lays out at once without a pause. */
const LIMIT = 64 * 1_024;

/** The part of a text that is shown, with controls visible, and how many characters follow. */
function shownPart(text: string, showsAll: boolean): { readonly part: string; readonly rest: number } {
  if (showsAll) return { part: shownText(text), rest: 0 };
  return { part: shownText(text.slice(0, LIMIT)), rest: Math.max(0, text.length - LIMIT) };
}

interface CodeTextProps {
  readonly text: string;
  readonly label: string;
}

/** A text in monospace that scrolls by itself. A large one is cut until the reader asks for all. */
export function CodeText({ text, label }: CodeTextProps) {
  const [showsAll, setShowsAll] = useState(false);
  const { part, rest } = shownPart(text, showsAll);
  return (
    <div class="code-text">
      <pre tabIndex={0} role="group" aria-label={label}>
        {part}
      </pre>
      {rest > 0 && (
        <button type="button" class="button" onClick={() => setShowsAll(true)}>
          {TEXT.code.showRest(rest.toLocaleString())}
        </button>
      )}
    </div>
  );
}
