import type { RefObject } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { ApiResponse } from "#shared/client/api-types.ts";
import { TEXT } from "../../text.ts";
import {
  ATTENTION,
  ENDED,
  LAST_NIGHT,
  MIN_SEARCH,
  RUNNING,
  TIME_RANGES,
  filtersOf,
  hasFilters,
  setFilters,
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

/** A filter with a few values. */
interface Choice {
  readonly name: ReturnType<typeof setFilters>[number];
  readonly label: string;
  readonly all: string;
  readonly values: readonly (readonly [value: string, text: string])[];
}

interface ChoiceFieldProps {
  readonly choice: Choice;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function ChoiceField({ choice: { label, all, values }, value, onChange }: ChoiceFieldProps) {
  // The address may name a value that no session has.
  const isKnown = value === "" || values.some(([known]) => known === value);
  return (
    <label class="filter-choice small">
      {label}
      <select value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        <option value="">{all}</option>
        {!isKnown && <option value={value}>{value}</option>}
        {values.map(([known, text]) => (
          <option key={known} value={known}>
            {text}
          </option>
        ))}
      </select>
    </label>
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

const pairs = (values: readonly string[] | undefined) =>
  (values ?? []).map((value) => [value, value] as const);

function choicesOf(options: FilterBarProps["options"]): readonly Choice[] {
  const statuses = [...RUNNING, ...ENDED].map((status) => [status, STATUSES[status] ?? status] as const);
  const groups = [[ATTENTION, texts.attention] as const, ["running", texts.unfinished] as const];
  const times = Object.keys(TIME_RANGES).map((range) => [range, TIMES[range] ?? range] as const);
  return [
    { name: "status", label: texts.status, all: texts.anyStatus, values: [...groups, ...statuses] },
    { name: "time", label: texts.time, all: texts.anyTime, values: times },
    { name: "type", label: texts.type, all: texts.anyType, values: pairs(options?.alert_types) },
    { name: "chain", label: texts.chain, all: texts.anyChain, values: pairs(options?.chain_ids) },
    { name: "author", label: texts.author, all: texts.anyAuthor, values: pairs(options?.authors) },
    { name: "review", label: texts.review, all: texts.anyReview, values: Object.entries(REVIEWS) },
    { name: "score", label: texts.score, all: texts.anyScore, values: Object.entries(texts.scores) },
    { name: "sort", label: texts.sort, all: texts.newest, values: Object.entries(texts.sortings) },
  ];
}

/** What narrows the list: the search, the filters behind a button, and those that are set beside it. Each changes the address. */
export function FilterBar({ filters, options, search, onChange, goToList }: FilterBarProps) {
  const [isOpen, setOpen] = useState(false);
  const choices = choicesOf(options);
  const set = setFilters(filters);
  const change = (name: Choice["name"], value: string) => {
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
        {texts.times.night}
      </button>
      <div id="filter-choices" class="filter-choices" hidden={!isOpen}>
        {choices.map((choice) => (
          <ChoiceField
            key={choice.name}
            choice={choice}
            value={filters[choice.name]}
            onChange={(value) => change(choice.name, value)}
          />
        ))}
      </div>
      {hasFilters(filters) && (
        <div class="filter-chips">
          {choices
            .filter(({ name }) => filters[name] !== "")
            .map(({ name, label, values }) => (
              <button
                key={name}
                type="button"
                class="filter-chip small"
                title={texts.removeFilter}
                onClick={() => change(name, "")}
              >
                <span>
                  {label}: {values.find(([value]) => value === filters[name])?.[1] ?? filters[name]}
                </span>
                <span aria-hidden="true">×</span>
              </button>
            ))}
          <a class="small" href="/">
            {texts.clear}
          </a>
        </div>
      )}
    </form>
  );
}
