import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { ApiResponse } from "#shared/client/api-types.ts";
import type { NotifierMessage } from "#shared/client/follow-session.ts";
import { followFeed } from "#shared/client/follow-feed.ts";
import { api, failureText, socketUrl } from "../../api/client.ts";
import { openSocket } from "../../api/sockets.ts";
import {
  ATTENTION,
  NEEDS_PERSON,
  partsOf,
  queryOf,
  type ListFilters,
  type SessionItem,
} from "./list-filters.ts";
import { ListReader } from "./list-reader.ts";
import { applyEvent, hasEnded, refreshRows, rowsOf, waitingFirst, type ListRow } from "./list-rows.ts";
import { missingRows, readMissing, settle } from "./read-missing.ts";

type Pagination = ApiResponse<"GET /api/v1/sessions">["pagination"];

/** Two messages of a burst are answered by one request. */
const REFRESH_MS = 1_000;
/** What is stored can be found up to 10 s later, and a provider fails, of which no event tells. */
const REPEAT_MS = 10_000;

/** What the API says about both parts of the list. */
interface ListRead {
  readonly running: readonly SessionItem[];
  readonly ended: readonly SessionItem[];
  readonly pagination: Pagination | undefined;
  /** Sessions of other rows. */
  readonly others: readonly SessionItem[];
}

interface ShownList {
  readonly running: readonly ListRow[];
  readonly ended: readonly ListRow[];
  readonly pagination: Pagination | undefined;
}

/** The list of sessions as a screen shows it. */
export interface SessionList {
  /** Undefined until the first answer. */
  readonly shown: ShownList | undefined;
  /** Why the last request failed. */
  readonly failure: string | undefined;
  /** False while the list gets no events. */
  readonly isLive: boolean;
  /** Sessions that match and are not shown yet. */
  readonly newCount: number;
  /** Reads the list anew; rows come, go and move. */
  readonly reload: () => void;
  /** Reads the values of the rows anew. */
  readonly refresh: () => void;
}

async function readList(filters: ListFilters, signal: AbortSignal): Promise<ListRead> {
  const parts = partsOf(filters);
  const read = async (statuses: readonly SessionItem["status"][], page: number, isWaiting = false) =>
    statuses.length === 0
      ? undefined
      : api.call("GET /api/v1/sessions", {
          query: {
            ...queryOf({ ...filters, page }, statuses, Date.now()),
            ...(isWaiting ? NEEDS_PERSON : {}),
          },
          signal,
        });
  const [running, ended] = await Promise.all([
    read(parts.running, parts.ended.length === 0 ? filters.page : 1),
    read(parts.ended, filters.page),
  ]);
  // Of more than a page only the API knows which need a person.
  const isFirst = running?.pagination.page === 1;
  const isCut = isFirst && running.pagination.total_items > running.sessions.length;
  const waiting = isCut ? await read(parts.running, 1, true) : undefined;
  const items = [...(waiting?.sessions ?? []), ...(running?.sessions ?? [])];
  return {
    running: [...new Map(items.map((item) => [item.id, item])).values()],
    ended: ended?.sessions ?? [],
    pagination: (ended ?? running)?.pagination,
    others: [],
  };
}

/** Reads the list that the filters ask for, and keeps its rows up to date without moving them. */
export function useSessionList(filters: ListFilters): SessionList {
  const key = JSON.stringify(filters);
  const [shown, setShown] = useState<ShownList>();
  const [failure, setFailure] = useState<string>();
  const [isLive, setLive] = useState(false);
  const [newIds, setNewIds] = useState<ReadonlySet<string>>(new Set());
  const latest = useRef({ filters, shown });
  latest.current = { filters, shown };
  /** Events since the request whose answer is on its way, which may be older than they are. */
  const missed = useRef<NotifierMessage[]>([]);
  const reader = useMemo(() => {
    const settled = new Set<string>();
    return new ListReader<ListRead>({
      read: async (signal, kind) => {
        missed.current = [];
        const read = await readList(latest.current.filters, signal);
        return kind === "reload" ? read : withMissing(read, latest.current.shown, { settled, signal });
      },
      done: (read, kind) => {
        settle(settled, [...read.running, ...read.ended, ...read.others]);
        const { shown: before } = latest.current;
        setFailure(undefined);
        const { current: later } = missed;
        const isAnew = kind === "reload" || isEmpty(before);
        setNewIds(isAnew ? new Set() : unknownIds(before, read));
        setShown((now) =>
          later.reduce(withEvent, isAnew || now === undefined ? shownOf(read, now) : refreshed(now, read)),
        );
      },
      failed: (error) => setFailure(failureText(error)),
    });
  }, []);

  useEffect(() => reader.reload(), [key, reader]);
  const isWatched = filters.search !== "" || filters.status === ATTENTION;
  useRepeatedly(isWatched || (shown?.running.length ?? 0) > 0, reader);

  useEffect(() => {
    const ending = new AbortController();
    const refresh = oncePer(REFRESH_MS, ending.signal, () => reader.refresh());
    const onMessage = (message: NotifierMessage) => {
      if (reader.isReading) missed.current.push(message);
      setShown((before) => (before === undefined ? before : withEvent(before, message)));
      // The figures of an ended session, and whether a new one matches the filters, only the API knows.
      if (message["type"] !== "session.progress") refresh();
    };
    const onLive = () => {
      setLive(true);
      refresh();
    };
    const onLost = () => setLive(false);
    const feed = { url: socketUrl(), open: openSocket, onMessage, onLive, onLost, signal: ending.signal };
    followFeed(feed).catch(() => undefined);
    return () => {
      ending.abort();
      reader[Symbol.dispose]();
    };
  }, [reader]);

  return useMemo(
    () => ({
      shown,
      failure,
      isLive,
      newCount: newIds.size,
      reload: () => reader.reload(),
      refresh: () => reader.refresh(),
    }),
    [shown, failure, isLive, newIds, reader],
  );
}

/** Reads the list again from time to time while something is looked for, or may begin to fail. */
function useRepeatedly(isWanted: boolean, reader: ListReader<ListRead>): void {
  useEffect(() => {
    if (!isWanted) return undefined;
    const timer = setInterval(() => {
      if (document.visibilityState === "visible") reader.refresh();
    }, REPEAT_MS);
    return () => clearInterval(timer);
  }, [isWanted, reader]);
}

/** Adds what of the rows is not in the list any more. */
async function withMissing(
  read: ListRead,
  shown: ShownList | undefined,
  { settled, signal }: { readonly settled: ReadonlySet<string>; readonly signal: AbortSignal },
): Promise<ListRead> {
  const rows = [...(shown?.running ?? []), ...(shown?.ended ?? [])];
  const missing = missingRows(rows, [...read.running, ...read.ended], settled);
  return { ...read, others: await readMissing(missing, signal) };
}

/** True while there is no row under the reader's mouse that could move. */
function isEmpty(shown: ShownList | undefined): boolean {
  return shown === undefined || shown.running.length + shown.ended.length === 0;
}

/** Calls `action` once for all calls within `ms`. */
function oncePer(ms: number, signal: AbortSignal, action: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  signal.addEventListener("abort", () => clearTimeout(timer));
  return () => {
    timer ??= setTimeout(() => {
      timer = undefined;
      action();
    }, ms);
  };
}

function shownOf(read: ListRead, before?: ShownList): ShownList {
  return {
    running: waitingFirst(rowsOf(read.running, before?.running)),
    ended: rowsOf(read.ended),
    pagination: read.pagination,
  };
}

function withEvent(before: ShownList, message: NotifierMessage): ShownList {
  return {
    ...before,
    running: applyEvent(before.running, message),
    ended: applyEvent(before.ended, message),
  };
}

function refreshed(before: ShownList, read: ListRead): ShownList {
  const items = [...read.running, ...read.ended, ...read.others];
  return {
    ...before,
    running: refreshRows(before.running, items),
    ended: refreshRows(before.ended, items),
  };
}

function unknownIds(shown: ShownList | undefined, read: ListRead): ReadonlySet<string> {
  const known = new Set([...(shown?.running ?? []), ...(shown?.ended ?? [])].map(({ item }) => item.id));
  // Only the first page begins with what is new.
  const isFirst = (read.pagination?.page ?? 1) === 1;
  const ended = isFirst ? read.ended : [];
  return new Set([...read.running, ...ended].filter(({ id }) => !known.has(id)).map(({ id }) => id));
}

/** The rows of sessions that have ended, which alone can be reviewed. */
export function reviewable(shown: ShownList | undefined): readonly ListRow[] {
  return [...(shown?.running ?? []), ...(shown?.ended ?? [])].filter(({ item }) => hasEnded(item));
}
