import { useMemo, useRef, useState } from "preact/hooks";
import { useKeys } from "../../../keys.ts";
import { searchSession } from "../../../session/search-session.ts";
import type { SessionView } from "../../../session/session-view.ts";
import { TEXT } from "../../../text.ts";

interface SessionSearchProps {
  readonly view: SessionView;
  readonly showEntry: (entryId: string) => void;
}

/** Looks for a word in everything that the agents did, and shows one place after the other. */
export function SessionSearch({ view, showEntry }: SessionSearchProps) {
  const [word, setWord] = useState("");
  const [index, setIndex] = useState(0);
  const field = useRef<HTMLInputElement>(null);
  const found = useMemo(() => searchSession(view, word), [view, view.seq, word]);
  const goTo = (next: number) => {
    const entry = found.at(next % Math.max(1, found.length));
    if (entry === undefined) return;
    setIndex(found.indexOf(entry));
    showEntry(entry.id);
  };
  const search = (wanted: string) => {
    setWord(wanted);
    setIndex(0);
  };
  useKeys({
    "/": [TEXT.session.keys.search, () => field.current?.focus()],
    n: [TEXT.session.keys.next, () => goTo(index + 1)],
  });
  return (
    <form
      class="session-search"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        goTo(index);
        setIndex(index + 1);
      }}
    >
      <input
        ref={field}
        type="search"
        value={word}
        aria-label={TEXT.session.search}
        placeholder={TEXT.session.search}
        onInput={({ currentTarget }) => search(currentTarget.value)}
      />
      <span class="small numbers" role="status">
        {word.trim() !== "" && TEXT.session.found(Math.min(index + 1, found.length), found.length)}
      </span>
    </form>
  );
}
