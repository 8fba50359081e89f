import { useCallback, useRef, useState } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { api, failureText } from "../../api/client.ts";
import { may, me } from "../../api/me.ts";
import { useKeys } from "../../keys.ts";
import { laterPart } from "../../parts/later-part.tsx";
import { useTitle } from "../../parts/use-title.ts";
import { shownText } from "../../session/shown-text.ts";
import { TEXT } from "../../text.ts";
import { loadRare } from "../load-rare.ts";
import { FilterBar } from "./filter-bar.tsx";
import { addressOf, filtersOf, hasFilters, type ListFilters } from "./list-filters.ts";
import { waitsForPerson } from "./list-rows.ts";
import type { ReviewBarProps } from "./review-bar.tsx";
import { focusedId, moveFocus } from "./row-focus.ts";
import { SessionPart } from "./session-part.tsx";
import { reviewable, useSessionList, type SessionList } from "./use-session-list.ts";
import "./sessions-screen.css";

const { sessions: texts } = TEXT;
const ConfirmQuestion = laterPart(async () => (await loadRare()).ConfirmQuestion);
const ReviewBar = laterPart(async () => (await loadRare()).ReviewBar);

function Pages({ list, filters }: { readonly list: SessionList; readonly filters: ListFilters }) {
  const pagination = list.shown?.pagination;
  if (pagination === undefined || pagination.total_items === 0) return null;
  const { page, total_pages: pages, total_items: items } = pagination;
  const count = items.toLocaleString();
  return (
    <nav class="session-pages" aria-label={texts.pages}>
      <span class="soft small">
        {pagination.total_is_capped === true ? texts.more(count) : texts.count(count)}
      </span>
      {pages > 1 && (
        <>
          {page > 1 && (
            <a class="button" rel="prev" href={addressOf({ ...filters, page: page - 1 })}>
              {texts.previous}
            </a>
          )}
          <span class="small numbers">{texts.page(page, pages)}</span>
          {page < pages && (
            <a class="button" rel="next" href={addressOf({ ...filters, page: page + 1 })}>
              {texts.next}
            </a>
          )}
        </>
      )}
    </nav>
  );
}

function Notices({ list, filters }: { readonly list: SessionList; readonly filters: ListFilters }) {
  const { shown, failure } = list;
  const isEmpty = shown !== undefined && shown.running.length + shown.ended.length === 0;
  return (
    <>
      {failure !== undefined && (
        <p class="session-failure" role="alert">
          {texts.failed(failure)}{" "}
          <button type="button" class="button" onClick={list.reload}>
            {TEXT.app.retry}
          </button>
        </p>
      )}
      {shown === undefined && failure === undefined && <p class="soft">{TEXT.app.loading}</p>}
      {isEmpty && hasFilters(filters) && (
        <p class="session-empty">
          {texts.noMatch} <a href="/">{texts.clear}</a>
        </p>
      )}
      {isEmpty && !hasFilters(filters) && (
        <p class="session-empty">
          {me.value?.sees_all === false ? shownText(texts.emptyOfTeams(me.value.teams)) : texts.empty}{" "}
          {may("alert.submit") && (
            <>
              {texts.emptyHint} <a href="/new">{TEXT.titles.submit}</a>
            </>
          )}
        </p>
      )}
    </>
  );
}

/** The sessions that the reader has selected for the review bar. */
function useSelection(list: SessionList) {
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const select = useCallback((id: string, isSelected: boolean) => {
    setSelected((before) => {
      const after = new Set(before);
      if (isSelected) after.add(id);
      else after.delete(id);
      return after;
    });
  }, []);
  // What is not on the screen any more is not acted upon.
  const ids = reviewable(list.shown)
    .map(({ item }) => item.id)
    .filter((id) => selected.has(id));
  return { ids, selected: new Set(ids), select, setSelected };
}

/** The session that the reader wants to cancel, and the keys of the list. */
function useListKeys(
  list: SessionList,
  { selected, select }: Pick<ReturnType<typeof useSelection>, "selected" | "select">,
) {
  const search = useRef<HTMLInputElement>(null);
  const [cancelling, setCancelling] = useState<string>();
  const { shown, reload } = list;
  useKeys({
    j: [texts.keys.next, () => moveFocus(1)],
    k: [texts.keys.previous, () => moveFocus(-1)],
    "/": [texts.keys.search, () => search.current?.select()],
    n: [texts.keys.reload, reload],
    s: [
      texts.keys.select,
      () => {
        const row = reviewable(shown).find(({ item }) => item.id === focusedId());
        if (row !== undefined && may("session.review")) select(row.item.id, !selected.has(row.item.id));
      },
    ],
    x: [
      texts.keys.cancel,
      () => {
        const row = shown?.running.find(({ item }) => item.id === focusedId());
        if (row !== undefined && may("session.cancel")) setCancelling(row.item.id);
      },
    ],
  });
  return { search, cancelling, setCancelling };
}

/** Cancels a session; `problem` says why the last one was not. */
function useCancel(refresh: () => void) {
  const [problem, setProblem] = useState<string>();
  const cancel = async (id: string) => {
    try {
      setProblem(undefined);
      // A session that has ended meanwhile answers 409, and the list shows its end.
      await api.call("POST /api/v1/sessions/:id/cancel", { params: { id }, accepts: [409] });
    } catch (error) {
      setProblem(texts.notCancelled(failureText(error)));
    }
    refresh();
  };
  return { problem, cancel };
}

/** The review bar, once something was selected; it stays, because it says what has become of the sessions. */
function Review(props: ReviewBarProps) {
  const wasSelected = useRef(false);
  wasSelected.current ||= props.ids.length > 0;
  return wasSelected.current && <ReviewBar {...props} />;
}

/** The list of sessions: those that run on top, found and filtered by the address. */
export function SessionsScreen() {
  const { query, route } = useLocation();
  const filters = filtersOf(query);
  const list = useSessionList(filters);
  useTitle(texts.waiting(list.shown?.running.filter(waitsForPerson).length ?? 0, TEXT.titles.sessions));
  const { ids, selected, select, setSelected } = useSelection(list);
  const { search, cancelling, setCancelling } = useListKeys(list, { selected, select });
  const onSelect = may("session.review") ? select : undefined;
  const { shown, newCount, reload, refresh, isLive } = list;
  const change = (changed: Partial<ListFilters>) => {
    // Typing replaces the entry of the history, a choice adds one.
    route(
      addressOf({ ...filters, page: 1, ...changed }),
      (changed.search ?? filters.search) !== filters.search && filters.search !== "",
    );
  };
  const { problem, cancel } = useCancel(refresh);
  const answer = (isYes: boolean) => {
    const id = cancelling;
    setCancelling(undefined);
    if (!isYes || id === undefined) return;
    void cancel(id);
  };
  return (
    <div class="sessions-screen">
      <div class="sessions-title">
        <h1>{TEXT.titles.sessions}</h1>
        <span class={`live-mark ${isLive ? "on" : ""}`} role="status">
          {isLive ? texts.live : texts.notLive}
        </span>
        <button type="button" class="button new-sessions" hidden={newCount === 0} onClick={reload}>
          ↑ {texts.newSessions(newCount)}
        </button>
        <button
          type="button"
          class={`button plain select-all ${ids.length === 0 ? "wide" : ""}`}
          hidden={reviewable(shown).length === 0 || onSelect === undefined}
          onClick={() => setSelected(new Set(reviewable(shown).map(({ item }) => item.id)))}
        >
          {texts.selectAll}
        </button>
      </div>
      <FilterBar filters={filters} search={search} onChange={change} goToList={() => moveFocus(0)} />
      <Review
        ids={ids}
        onDone={(failed) => {
          setSelected(new Set(failed));
          refresh();
        }}
      />
      {problem !== undefined && (
        <p class="session-failure" role="alert">
          {problem}
        </p>
      )}
      <Notices list={list} filters={filters} />
      <SessionPart
        title={texts.running}
        rows={shown?.running ?? []}
        selected={selected}
        onSelect={onSelect}
      />
      <SessionPart title={texts.ended} rows={shown?.ended ?? []} selected={selected} onSelect={onSelect} />
      <Pages list={list} filters={filters} />
      {cancelling !== undefined && <ConfirmQuestion texts={TEXT.cancel} onAnswer={answer} />}
    </div>
  );
}
