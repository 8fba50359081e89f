import { signal } from "@preact/signals";
import { useLocation } from "preact-iso/router";
import { useEffect, useRef, useState } from "preact/hooks";
import { api } from "../api/client.ts";
import { shownKeys, useKeys } from "../keys.ts";
import { useRemote } from "../parts/use-remote.ts";
import { useModal } from "../parts/use-modal.ts";
import { TEXT } from "../text.ts";
import {
  actionItems,
  idItem,
  screenItems,
  sessionItem,
  type PaletteAction,
  type PaletteItem,
} from "./palette-items.ts";
import "./palette.css";

/** Whether the palette is shown. */
const isOpen = signal(false);

const SESSIONS = 8;
/** The api searches for no shorter text. */
const MIN_SEARCH = 3;
/** A reader that types is not done yet. */
const TYPING_MS = 150;

/** Shows the palette. */
export function openPalette(): void {
  isOpen.value = true;
}

/** The way to every screen and session by a few letters, in a dialog. */
export function Palette() {
  useKeys({ "Mod+k": [TEXT.app.paletteKey, () => (isOpen.value = !isOpen.value)] });
  return isOpen.value ? <PaletteDialog /> : null;
}

function PaletteDialog() {
  const dialog = useModal();
  const { path, route } = useLocation();
  const [text, setText] = useState("");
  const [index, setIndex] = useState(0);
  const sessions = useSessions(text);
  const direct = idItem(text);
  const items =
    direct === undefined
      ? [...screenItems(text, path), ...actionItems(text, shownKeys.value), ...sessions.found]
      : [direct];
  const chosen = Math.min(index, items.length - 1);
  const close = () => (isOpen.value = false);
  const open = (item: PaletteItem | PaletteAction | undefined) => {
    if (item === undefined) return;
    dialog.current?.close();
    if ("run" in item) item.run();
    else route(item.url);
  };
  const opensFirst = useOpenFirst(sessions.isLoading, () => open(items[0]));
  const press = (event: KeyboardEvent) => {
    const steps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };
    const step = steps[event.key];
    if (step !== undefined && items.length > 0) {
      event.preventDefault();
      setIndex((chosen + step + items.length) % items.length);
    }
    if (event.key === "Enter" && !event.isComposing) {
      event.preventDefault();
      if (items.length === 0 && sessions.isLoading) opensFirst.current = true;
      else open(items[chosen]);
    }
  };
  return (
    <dialog ref={dialog} class="palette" aria-label={TEXT.palette.title} onClose={close}>
      <input
        type="text"
        role="combobox"
        aria-label={TEXT.palette.label}
        aria-expanded={items.length > 0}
        aria-controls="palette-items"
        aria-autocomplete="list"
        aria-activedescendant={items.length > 0 ? `palette-item-${chosen}` : undefined}
        placeholder={TEXT.palette.placeholder}
        autocomplete="off"
        spellcheck={false}
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value);
          setIndex(0);
          opensFirst.current = false;
        }}
        onKeyDown={press}
      />
      <div id="palette-items" role="listbox" aria-label={TEXT.palette.results}>
        {items.map((item, place) => (
          <Item
            key={item.key}
            item={item}
            place={place}
            isChosen={place === chosen}
            onOpen={() => open(item)}
          />
        ))}
      </div>
      <p class="soft small" role="status">
        {stateText(items.length, sessions)}
      </p>
    </dialog>
  );
}

function stateText(
  count: number,
  sessions: { readonly error: string | undefined; readonly isLoading: boolean },
): string {
  if (sessions.error !== undefined) return sessions.error;
  if (sessions.isLoading) return TEXT.palette.searching;
  return count === 0 ? TEXT.palette.none : TEXT.palette.hint;
}

interface ItemProps {
  readonly item: PaletteItem | PaletteAction;
  readonly place: number;
  readonly isChosen: boolean;
  readonly onOpen: () => void;
}

function Item({ item, place, isChosen, onOpen }: ItemProps) {
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isChosen) element.current?.scrollIntoView({ block: "nearest" });
  }, [isChosen]);
  return (
    <div
      ref={element}
      id={`palette-item-${place}`}
      role="option"
      aria-selected={isChosen}
      class="item"
      onClick={onOpen}
    >
      <span>{item.text}</span>
      <span class="note soft small">{item.note}</span>
    </div>
  );
}

/** Enter is pressed before the results are there: the first of them is opened once they come, unless the reader types on. */
function useOpenFirst(isLoading: boolean, openFirst: () => void) {
  const isWanted = useRef(false);
  useEffect(() => {
    if (isLoading || !isWanted.current) return;
    isWanted.current = false;
    openFirst();
  }, [isLoading]);
  return isWanted;
}

/** The newest sessions, or those that a text finds once the reader stops typing; never those of another text. */
function useSessions(text: string) {
  const search = searchOf(text);
  const [settled, setSettled] = useState(search);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(search), TYPING_MS);
    return () => clearTimeout(timer);
  }, [search]);
  const remote = useRemote(`sessions ${settled}`, async (stop) =>
    settled === undefined
      ? undefined
      : api.call("GET /api/v1/sessions", {
          query: { page_size: SESSIONS, ...(settled === "" ? {} : { search: settled }) },
          signal: stop,
        }),
  );
  const isSettled = settled === search;
  const found = isSettled ? (remote.value?.sessions ?? []) : [];
  return {
    found: found.map((session) => sessionItem(session, Date.now())),
    error: remote.error,
    isLoading: remote.isLoading || !isSettled,
  };
}

/** What the api is asked for; undefined if no session is. */
function searchOf(text: string): string | undefined {
  const search = text.trim();
  if (idItem(text) !== undefined) return undefined;
  return search === "" || search.length >= MIN_SEARCH ? search : undefined;
}
