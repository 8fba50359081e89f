import { needsPerson } from "#shared/client/session-state.ts";
import type { SessionItem } from "./list-filters.ts";

type ListMessage = Readonly<Record<string, unknown>>;

/** A row of the list: the session, and what its agents do at this moment. */
export interface ListRow {
  readonly item: SessionItem;
  /** One phrase; undefined once the session has ended. */
  readonly activity: string | undefined;
}

const ENDINGS = new Set<string>(["completed", "failed", "cancelled", "timed_out"]);

/** Rows for sessions that the API lists; keeps what is known about their activity. */
export function rowsOf(items: readonly SessionItem[], before: readonly ListRow[] = []): readonly ListRow[] {
  const known = new Map(before.map((row) => [row.item.id, row.activity]));
  return items.map((item) => rowOf(item, known.get(item.id)));
}

/** What its agents did in an earlier stage they do no more. */
function rowOf(item: SessionItem, activity: string | undefined): ListRow {
  const isOfStage = !hasEnded(item) && activity?.startsWith(item.stage_text ?? "") === true;
  return { item, activity: isOfStage ? activity : item.stage_text };
}

/** True for a session that changes no more, but for its review. */
export function hasEnded({ status }: Pick<SessionItem, "status">): boolean {
  return ENDINGS.has(status);
}

/** True for a session that gets no further without a person: a tool call waits for a decision, or its provider keeps failing. */
export function waitsForPerson({ item }: ListRow): boolean {
  return needsPerson(factsOf(item));
}

/** What decides how the session of a row stands. */
export function factsOf({ status, open_approvals: openApprovals, parked, failing }: SessionItem) {
  return { status, openApprovals, parked, failing };
}

/** The rows with those first that wait for a person, otherwise in their order. */
export function waitingFirst(rows: readonly ListRow[]): readonly ListRow[] {
  return rows.toSorted((one, other) => Number(waitsForPerson(other)) - Number(waitsForPerson(one)));
}

/** Puts newer values into the rows that are there. No row comes, goes or moves: the reader may be about to press one. */
export function refreshRows(rows: readonly ListRow[], items: readonly SessionItem[]): readonly ListRow[] {
  const fresh = new Map(items.map((item) => [item.id, item]));
  return rows.map((row) => {
    const item = fresh.get(row.item.id);
    return item === undefined ? row : rowOf(item, row.activity);
  });
}

/** Applies an event of the feed to the row of its session; returns the same rows if it has none. */
export function applyEvent(rows: readonly ListRow[], message: ListMessage): readonly ListRow[] {
  const index = rows.findIndex(({ item }) => item.id === message["session_id"]);
  const row = rows[index];
  if (row === undefined) return rows;
  const changed = changedRow(row, message);
  return changed === row ? rows : rows.with(index, changed);
}

function changedRow(row: ListRow, message: ListMessage): ListRow {
  const { item } = row;
  switch (message["type"]) {
    case "session.status":
    case "session.completed": {
      const status = statusOf(message["status"]);
      if (status === undefined || hasEnded(item)) return row;
      const ended = hasEnded({ status });
      const at = message["timestamp"];
      const times =
        ended && typeof at === "string" ? { completed_at: at, duration_ms: lasted(item, at) } : {};
      return { item: { ...item, status, ...times }, activity: ended ? undefined : row.activity };
    }
    case "session.progress": {
      const { status_text: text } = message;
      return hasEnded(item) || typeof text !== "string" ? row : { item, activity: text };
    }
    case "session.parked":
    case "session.resumed":
      return withParking(row, message);
    case "approval.requested":
      return { ...row, item: { ...item, open_approvals: item.open_approvals + 1 } };
    case "approval.decided":
      return { ...row, item: { ...item, open_approvals: Math.max(0, item.open_approvals - 1) } };
    case "review.status": {
      const review = reviewOf(message["review_status"]);
      const { assignee } = message;
      if (review === undefined) return row;
      return {
        ...row,
        item: { ...item, review_status: review, assignee: typeof assignee === "string" ? assignee : null },
      };
    }
    default:
      return row;
  }
}

function withParking({ item, activity }: ListRow, { type, by, actor, timestamp }: ListMessage): ListRow {
  const { parked: _parked, ...rest } = item;
  if (type === "session.resumed" || hasEnded(item) || typeof timestamp !== "string") {
    return { item: rest, activity };
  }
  const parked = {
    by: by === "priority" ? ("priority" as const) : ("operator" as const),
    ...(typeof actor === "string" ? { actor } : {}),
    requested_at: timestamp,
    at: timestamp,
  };
  return { item: { ...rest, parked }, activity };
}

function lasted({ started_at, created_at }: SessionItem, end: string): number {
  return Math.max(0, Date.parse(end) - Date.parse(started_at ?? created_at));
}

const STATUSES: readonly SessionItem["status"][] = [
  ...(["pending", "in_progress", "cancelling"] as const),
  ...(["completed", "failed", "cancelled", "timed_out"] as const),
];
const REVIEWS = ["needs_review", "in_progress", "reviewed"] as const;

function statusOf(value: unknown): SessionItem["status"] | undefined {
  return STATUSES.find((status) => status === value);
}

function reviewOf(value: unknown): (typeof REVIEWS)[number] | undefined {
  return REVIEWS.find((review) => review === value);
}
