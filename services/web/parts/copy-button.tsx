import { useEffect, useState } from "preact/hooks";
import { useKeys } from "../keys.ts";
import { TEXT } from "../text.ts";

const SHOWN_MS = 2_000;

interface CopyButtonProps {
  /** What is copied, or a function that makes it when the button is pressed. */
  readonly value: string | (() => string);
  readonly label?: string;
  readonly class?: string;
  /** A key that does the same, with what the help says about it. */
  readonly shortcut?: readonly [key: string, text: string];
  /** Gets what the button says about it, for where the button itself is not in view. */
  readonly onSaid?: (said: string | undefined) => void;
}

/** Copies a text and says whether that worked. */
export function CopyButton({
  value,
  label = TEXT.copy.copy,
  class: className = "",
  shortcut,
  onSaid,
}: CopyButtonProps) {
  const [said, setOwn] = useState<string>();
  const setSaid = (text: string | undefined) => {
    setOwn(text);
    onSaid?.(text);
  };
  useEffect(() => {
    if (said === undefined) return undefined;
    const timer = setTimeout(() => setSaid(undefined), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [said]);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(typeof value === "string" ? value : value());
      setSaid(TEXT.copy.copied);
    } catch {
      // The clipboard needs a secure origin and the reader's permission.
      setSaid(TEXT.copy.failed);
    }
  };
  return (
    <button type="button" class={`button ${className}`} onClick={() => void copy()}>
      {said ?? label}
      <span class="hidden-text" role="status">
        {said ?? ""}
      </span>
      {shortcut !== undefined && (
        <Shortcut name={shortcut[0]} text={shortcut[1]} action={() => void copy()} />
      )}
    </button>
  );
}

/** Binds a key: a component, because most buttons have none. */
function Shortcut({
  name,
  text,
  action,
}: {
  readonly name: string;
  readonly text: string;
  readonly action: () => void;
}) {
  useKeys({ [name]: [text, action] });
  return null;
}
