import { useEffect, useState } from "preact/hooks";
import type { ApiResponse } from "#shared/client/api-types.ts";
import { personName } from "#shared/client/person-name.ts";
import { api } from "../../api/client.ts";
import { TEXT } from "../../text.ts";
import {
  ATTENTION,
  ENDED,
  RUNNING,
  TIME_RANGES,
  hasFilters,
  type FilterName,
  type ListFilters,
} from "./list-filters.ts";
import { LIST_TEXT as texts } from "./list-text.ts";
import "./filter-choices.css";

type FilterOptions = ApiResponse<"GET /api/v1/sessions/filter-options">;
const STATUSES: Readonly<Record<string, string>> = TEXT.statuses;
const REVIEWS: Readonly<Record<string, string>> = TEXT.reviews;
const TIMES: Readonly<Record<string, string>> = texts.times;

/** A filter with a few values. */
interface FilterChoice {
  readonly name: FilterName;
  readonly label: string;
  readonly all: string;
  readonly values: readonly (readonly [value: string, text: string])[];
}

interface ChoiceFieldProps {
  readonly choice: FilterChoice;
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

/** What sessions have that can be filtered by. */
function useFilterOptions() {
  const [options, setOptions] = useState<FilterOptions>();
  useEffect(() => {
    const ending = new AbortController();
    // Without them the list can still be searched.
    api
      .call("GET /api/v1/sessions/filter-options", { signal: ending.signal })
      .then(setOptions, () => undefined);
    return () => ending.abort();
  }, []);
  return options;
}

const pairs = (values: readonly string[] | undefined) =>
  (values ?? []).map((value) => [value, value] as const);

function choicesOf(options: FilterOptions | undefined): readonly FilterChoice[] {
  const statuses = [...RUNNING, ...ENDED].map((status) => [status, STATUSES[status] ?? status] as const);
  const groups = [[ATTENTION, texts.attention] as const, ["running", texts.unfinished] as const];
  const times = Object.keys(TIME_RANGES).map((range) => [range, TIMES[range] ?? range] as const);
  const authors = (options?.authors ?? []).map((author) => [author, personName(author)] as const);
  return [
    { name: "status", label: texts.status, all: texts.anyStatus, values: [...groups, ...statuses] },
    { name: "time", label: texts.time, all: texts.anyTime, values: times },
    { name: "type", label: texts.type, all: texts.anyType, values: pairs(options?.alert_types) },
    { name: "chain", label: texts.chain, all: texts.anyChain, values: pairs(options?.chain_ids) },
    { name: "author", label: texts.author, all: texts.anyAuthor, values: authors },
    { name: "review", label: texts.review, all: texts.anyReview, values: Object.entries(REVIEWS) },
    { name: "score", label: texts.score, all: texts.anyScore, values: Object.entries(texts.scores) },
    { name: "sort", label: texts.sort, all: texts.newest, values: Object.entries(texts.sortings) },
  ];
}

interface FilterChoicesProps {
  readonly filters: ListFilters;
  /** Whether all filters are shown, or those alone that are set. */
  readonly isOpen: boolean;
  readonly onChange: (name: FilterName, value: string) => void;
}

/** The filters of the list, and below them each that is set, to be removed. */
export function FilterChoices({ filters, isOpen, onChange }: FilterChoicesProps) {
  const choices = choicesOf(useFilterOptions());
  return (
    <>
      <div id="filter-choices" class="filter-choices" hidden={!isOpen}>
        {choices.map((choice) => (
          <ChoiceField
            key={choice.name}
            choice={choice}
            value={filters[choice.name]}
            onChange={(value) => onChange(choice.name, value)}
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
                onClick={() => onChange(name, "")}
              >
                <span>
                  {label}: {values.find(([value]) => value === filters[name])?.[1] ?? filters[name]}
                </span>
                <span aria-hidden="true">×</span>
              </button>
            ))}
          <a class="small" href="/">
            {TEXT.sessions.clear}
          </a>
        </div>
      )}
    </>
  );
}
