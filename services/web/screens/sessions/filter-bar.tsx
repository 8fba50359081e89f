import type { RefObject } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { ApiResponse } from "#shared/client/api-types.ts";
import { TEXT } from "../../text.ts";
import {
  ENDED,
  MIN_SEARCH,
  RUNNING,
  TIME_RANGES,
  filtersOf,
  hasFilters,
  type ListFilters,
} from "./list-filters.ts";
import "./filter-bar.css";

const { sessions: texts } = TEXT;
const STATUSES: Readonly<Record<string, string>> = TEXT.statuses;
const REVIEWS: Readonly<Record<string, string>> = TEXT.reviews;
const TIMES: Readonly<Record<string, string>> = texts.times;
const TYPING_MS = 300;

interface FilterBarProps {
  readonly filters: ListFilters;
  readonly options: ApiResponse<"GET /api/v1/sessions/filter-options"> | undefined;
  readonly search: RefObject<HTMLInputElement | null>;
  readonly onChange: (changed: Partial<ListFilters>) => void;
  /** Leads from the search to what it found. */
  readonly goToList: () => void;
}

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly all: string;
  readonly choices: readonly (readonly [value: string, text: string])[];
  readonly onChange: (value: string) => void;
}

function Choice({ label, value, all, choices, onChange }: ChoiceProps) {
  // The address may name a value that no session has.
  const isKnown = value === "" || choices.some(([known]) => known === value);
  return (
    <select
      aria-label={label}
      value={value}
      class={value === "" ? "" : "set"}
      onChange={(event) => onChange(event.currentTarget.value)}
    >
      <option value="">{all}</option>
      {!isKnown && <option value={value}>{value}</option>}
      {choices.map(([known, text]) => (
        <option key={known} value={known}>
          {text}
        </option>
      ))}
    </select>
  );
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
function SearchField({ filters, search, onChange, goToList }: Omit<FilterBarProps, "options">) {
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

/** What narrows the list; each control changes the address. */
export function FilterBar({ filters, options, search, onChange, goToList }: FilterBarProps) {
  const names = (values: readonly string[] | undefined) =>
    (values ?? []).map((value) => [value, value] as const);
  return (
    <form
      class="filter-bar"
      role="search"
      aria-label={texts.filters}
      onSubmit={(event) => event.preventDefault()}
    >
      <SearchField filters={filters} search={search} onChange={onChange} goToList={goToList} />
      <Choice
        label={texts.status}
        all={texts.anyStatus}
        value={filters.status}
        choices={[
          ["running", texts.running] as const,
          ...[...RUNNING, ...ENDED].map((status) => [status, STATUSES[status] ?? status] as const),
        ]}
        onChange={(status) => onChange({ status })}
      />
      <Choice
        label={texts.type}
        all={texts.anyType}
        value={filters.type}
        choices={names(options?.alert_types)}
        onChange={(value) => onChange({ type: value })}
      />
      <Choice
        label={texts.chain}
        all={texts.anyChain}
        value={filters.chain}
        choices={names(options?.chain_ids)}
        onChange={(chain) => onChange({ chain })}
      />
      <Choice
        label={texts.author}
        all={texts.anyAuthor}
        value={filters.author}
        choices={names(options?.authors)}
        onChange={(author) => onChange({ author })}
      />
      <Choice
        label={texts.time}
        all={texts.anyTime}
        value={filters.time}
        choices={Object.keys(TIME_RANGES).map((range) => [range, TIMES[range] ?? range] as const)}
        onChange={(time) => onChange({ time })}
      />
      <Choice
        label={texts.review}
        all={texts.anyReview}
        value={filters.review}
        choices={Object.entries(REVIEWS)}
        onChange={(review) => onChange({ review })}
      />
      <Choice
        label={texts.score}
        all={texts.anyScore}
        value={filters.score}
        choices={Object.entries(texts.scores)}
        onChange={(score) => onChange({ score: filtersOf({ score }).score })}
      />
      <Choice
        label={texts.sort}
        all={texts.newest}
        value={filters.sort}
        choices={Object.entries(texts.sortings)}
        onChange={(sort) => onChange({ sort: filtersOf({ sort }).sort })}
      />
      {hasFilters(filters) && (
        <a class="button plain" href="/">
          {texts.clear}
        </a>
      )}
    </form>
  );
}
