import { useState } from "preact/hooks";
import { TEXT } from "../text.ts";
import { shownPart } from "./shown-part.ts";
import "./code-text.css";

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
