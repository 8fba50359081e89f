import type { RefObject } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { laterPart } from "../../parts/later-part.tsx";
import { TEXT } from "../../text.ts";
import { loadRare } from "../load-rare.ts";
import {
  LAST_NIGHT,
  MIN_SEARCH,
  filtersOf,
  hasFilters,
  setFilters,
  type FilterName,
  type ListFilters,
} from "./list-filters.ts";
import "./filter-bar.css";

const { sessions: texts } = TEXT;
const FilterChoices = laterPart(async () => (await loadRare()).FilterChoices);
const TYPING_MS = 300;

interface FilterBarProps {
  readonly filters: ListFilters;
  readonly search: RefObject<HTMLInputElement | null>;
  readonly onChange: (changed: Partial<ListFilters>) => void;
  /** Leads from the search to what it found. */
  readonly goToList: () => void;
}

/** The text of the search, which is applied when the reader pauses. */
function useTyped(filters: ListFilters, onChange: FilterBarProps["onChange"]) {
  const [typed, setTyped] = useState(filters.search);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  // The timer applies the text to the filters of its end, not to those of the key press.
  const latest = useRef({ filters, onChange });
  latest.current = { filters, onChange };
  const applied = useRef(filters.search);
  useEffect(() => {
    // Another address shows its text; the one that the typing led to must not take back what was typed since.
    if (filters.search === applied.current) return;
    clearTimeout(timer.current);
    applied.current = filters.search;
    setTyped(filters.search);
  }, [filters.search]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const apply = (text: string) => {
    clearTimeout(timer.current);
    if (text.trim() === latest.current.filters.search) return;
    applied.current = text.trim();
    latest.current.onChange({ search: text.trim() });
  };
  const type = (text: string) => {
    setTyped(text);
    clearTimeout(timer.current);
    const length = text.trim().length;
    if (length === 0 || length >= MIN_SEARCH) timer.current = setTimeout(() => apply(text), TYPING_MS);
  };
  return { typed, type, apply };
}

/** The text that is looked for; Enter on one that is applied, and the arrow down, lead to what was found. */
function SearchField({ filters, search, onChange, goToList }: FilterBarProps) {
  const { typed, type, apply } = useTyped(filters, onChange);
  const press = (event: KeyboardEvent) => {
    if (event.key !== "ArrowDown" && event.key !== "Enter") return;
    event.preventDefault();
    if (typed.trim() === filters.search || event.key === "ArrowDown") goToList();
    else apply(typed);
  };
  return (
    <input
      ref={search}
      type="search"
      aria-label={texts.search}
      placeholder={texts.searchHint}
      value={typed}
      maxLength={1_000}
      onInput={(event) => type(event.currentTarget.value)}
      onKeyDown={press}
    />
  );
}

/** What narrows the list: the search, the filters behind a button, and those that are set beside it. Each changes the address. */
export function FilterBar({ filters, search, onChange, goToList }: FilterBarProps) {
  const [isOpen, setOpen] = useState(false);
  const set = setFilters(filters);
  const change = (name: FilterName, value: string) => {
    const { page: _page, ...values } = filters;
    onChange(filtersOf({ ...values, [name]: value }));
  };
  const isNight = filters.time === LAST_NIGHT;
  return (
    <form
      class="filter-bar"
      role="search"
      aria-label={texts.filters}
      onSubmit={(event) => event.preventDefault()}
    >
      <SearchField filters={filters} search={search} onChange={onChange} goToList={goToList} />
      <button
        type="button"
        class="button"
        aria-expanded={isOpen}
        aria-controls="filter-choices"
        onClick={() => setOpen(!isOpen)}
      >
        {texts.filtersSet(set.length)}
      </button>
      <button
        type="button"
        class={`button ${isNight ? "set" : ""}`}
        aria-pressed={isNight}
        title={texts.lastNightHint}
        onClick={() => change("time", isNight ? "" : LAST_NIGHT)}
      >
        {texts.lastNight}
      </button>
      {(isOpen || hasFilters(filters)) && (
        <FilterChoices filters={filters} isOpen={isOpen} onChange={change} />
      )}
    </form>
  );
}
