import { useRef, useState } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import type { ApiResponse } from "#shared/client/api-types.ts";
import { MEMORY_CATEGORIES, MEMORY_VALENCES } from "#shared/contracts/memory.ts";
import { api } from "../../api/client.ts";
import { useKeys } from "../../keys.ts";
import { withQuery } from "../../parts/query.ts";
import { RemoteState } from "../../parts/remote-state.tsx";
import { useRemote } from "../../parts/use-remote.ts";
import { useTitle } from "../../parts/use-title.ts";
import { TEXT } from "../../text.ts";
import { MEMORY_TEXT } from "./memory-text.ts";
import { hasMemoryFilters, memoryFiltersOf, memoryQueryOf, type MemoryFilters } from "./memory-filters.ts";
import { MemoryItem } from "./memory-item.tsx";
import "./memories-screen.css";

/** Moves the focus to another memory; from elsewhere to the first one. */
function moveFocus(step: number): void {
  const items = [...document.querySelectorAll<HTMLElement>(".memories > li")];
  const index = items.findIndex((item) => item.contains(document.activeElement));
  items[index === -1 ? 0 : Math.min(Math.max(index + step, 0), items.length - 1)]?.focus();
}

/** What investigations taught; the address has the filters (`category`, `valence`, `deprecated`, `source`) and the page. */
export function MemoriesScreen() {
  useTitle(TEXT.titles.memories);
  const { url, query, route } = useLocation();
  const filters = memoryFiltersOf(query);
  const remote = useRemote(JSON.stringify(filters), async (signal) =>
    api.call("GET /api/v1/memories", { query: memoryQueryOf(filters), signal }),
  );
  const [said, setSaid] = useState("");
  const title = useRef<HTMLHeadingElement>(null);
  useKeys({
    j: [MEMORY_TEXT.keys.next, () => moveFocus(1)],
    k: [MEMORY_TEXT.keys.previous, () => moveFocus(-1)],
  });
  const { value, reload } = remote;
  return (
    <div class="memories-screen">
      <h1 ref={title} tabIndex={-1}>
        {TEXT.titles.memories}
      </h1>
      <p class="soft small">{MEMORY_TEXT.hint}</p>
      {value?.enabled === false ? (
        <MemoryOff />
      ) : (
        <>
          <Filters
            filters={filters}
            onChange={(changes) => route(withQuery(url, { ...changes, page: undefined }), true)}
          />
          <RemoteState remote={remote} />
          {value !== undefined && (
            <Found
              found={value}
              hasFilters={hasMemoryFilters(filters)}
              onDone={(text) => {
                // What had the focus may be gone.
                if (text === MEMORY_TEXT.deleted) title.current?.focus();
                setSaid(text);
                reload();
              }}
            />
          )}
        </>
      )}
      <p class="small" role="status">
        {said}
      </p>
      {value !== undefined && value.total_pages > 1 && (
        <Pages page={filters.page} pages={value.total_pages} url={url} />
      )}
    </div>
  );
}

interface FoundProps {
  readonly found: ApiResponse<"GET /api/v1/memories">;
  readonly hasFilters: boolean;
  readonly onDone: (said: string) => void;
}

function Found({ found: { memories, total, may_change }, hasFilters, onDone }: FoundProps) {
  if (total === 0) {
    return <p class="soft">{hasFilters ? MEMORY_TEXT.noMatch : MEMORY_TEXT.empty}</p>;
  }
  return (
    <section aria-label={TEXT.titles.memories}>
      <p class="soft small" role="status">
        {MEMORY_TEXT.count(total)}
      </p>
      <ul class="memories">
        {memories.map((memory) => (
          <li key={memory.memory_id} tabIndex={-1}>
            <MemoryItem memory={memory} mayChange={may_change} onDone={onDone} />
          </li>
        ))}
      </ul>
    </section>
  );
}

interface FiltersProps {
  readonly filters: MemoryFilters;
  readonly onChange: (changes: Readonly<Record<string, string>>) => void;
}

function Filters({ filters, onChange }: FiltersProps) {
  const choice = (
    name: "category" | "valence" | "deprecated",
    label: string,
    choices: readonly (readonly [value: string, text: string])[],
  ) => (
    <label class="small">
      {label}{" "}
      <select
        value={filters[name]}
        onChange={({ currentTarget }) => onChange({ [name]: currentTarget.value })}
      >
        <option value="">{MEMORY_TEXT.any}</option>
        {choices.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
  return (
    <form class="memory-filters" role="search" aria-label={MEMORY_TEXT.filters}>
      {choice(
        "category",
        MEMORY_TEXT.category,
        MEMORY_CATEGORIES.map((name) => [name, MEMORY_TEXT.categories[name]]),
      )}
      {choice(
        "valence",
        MEMORY_TEXT.valence,
        MEMORY_VALENCES.map((name) => [name, MEMORY_TEXT.valences[name]]),
      )}
      {choice("deprecated", MEMORY_TEXT.status, [
        ["false", MEMORY_TEXT.inUse],
        ["true", MEMORY_TEXT.deprecated],
      ])}
      {filters.source !== "" && (
        <span class="small">
          {MEMORY_TEXT.only} <a href={`/s/${filters.source}`}>{MEMORY_TEXT.oneSession}</a>
        </span>
      )}
      {hasMemoryFilters(filters) && (
        <a class="button plain" href="/memories">
          {MEMORY_TEXT.clear}
        </a>
      )}
    </form>
  );
}

interface PagesProps {
  readonly page: number;
  readonly pages: number;
  readonly url: string;
}

function Pages({ page, pages, url }: PagesProps) {
  const { previous, next, pages: label, page: pageOf } = TEXT.sessions;
  const link = (text: string, to: number) => (
    <a class="button" href={withQuery(url, { page: String(to) })}>
      {text}
    </a>
  );
  return (
    <nav class="memory-pages" aria-label={label}>
      {page > 1 && link(previous, Math.min(page - 1, pages))}
      <span class="small numbers">{pageOf(page, pages)}</span>
      {page < pages && link(next, page + 1)}
    </nav>
  );
}

/** That memory is off, and what switches it on. */
function MemoryOff() {
  const { off, offHint, offDocs } = MEMORY_TEXT;
  return (
    <div class="memory-off">
      <p>{off}</p>
      <p>{offHint}</p>
      <pre>{"defaults:\n  memory:\n    enabled: true"}</pre>
      <p class="soft small">{offDocs}</p>
    </div>
  );
}
