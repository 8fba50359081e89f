import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { SessionEvent } from "#shared/contracts/session-event.ts";
import { appendEvents } from "#shared/database/append-events.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { postgresSafeValue } from "#shared/postgres-safe-value.ts";
import { applyEffect, dueEffect, isIncidentOver } from "./apply-resolved.ts";
import type { DecidedAlert, FoldedGroup } from "./decide-group.ts";
import type { CommittedGroup, ResolvedEffect } from "./grouped-alert.ts";
import type { StoredGroup } from "./read-group.ts";

/**
 * Inserts the rows of the alerts $9 and writes the group; if $10, the owner of the session reads what is new before its next call of the
 * model, as for a message of a person.
 */
const STORE = `
WITH item AS MATERIALIZED (
  SELECT * FROM json_to_recordset($9::json) AS item (alert_id uuid, session_id uuid, ordinal integer, group_key text,
    outcome text, is_resolved boolean, effect text, author text, source_key text, data text, bytes integer)
), inserted AS (
  INSERT INTO group_alerts (alert_id, session_id, ordinal, group_key, outcome, is_resolved, effect, author, source_key, data, bytes)
  SELECT alert_id, session_id, ordinal, group_key, outcome, is_resolved, effect, author, source_key, data, bytes FROM item
), kept AS (
  UPDATE alert_groups SET session_id = $2, count = $3, bytes = $4, reopened = $5, last_at = clock_timestamp(),
    first_at = CASE WHEN session_id IS DISTINCT FROM $2 THEN clock_timestamp() ELSE first_at END,
    announced_at = CASE WHEN $6::boolean THEN clock_timestamp() WHEN session_id IS DISTINCT FROM $2 THEN NULL ELSE announced_at END,
    resolved_at = CASE WHEN $7::boolean THEN clock_timestamp() END, is_cancelled = $8
  WHERE group_key = $1
), notified AS (
  UPDATE session_runtime SET inbox_seq = inbox_seq + 1 WHERE session_id = $2 AND $10::boolean RETURNING inbox_seq
)
SELECT coalesce((SELECT inbox_seq FROM notified), 0) AS inbox_seq`;
const parseStored = compileParser("stored alerts", Type.Object({ inbox_seq: Type.Integer() }));

const FORGET_EMPTY = "DELETE FROM alert_groups WHERE group_key = $1 AND session_id IS NULL";

/** What is to be sent once the rows are committed. */
interface StoredAlerts {
  readonly events: readonly SessionEvent[];
  readonly inbox: CommittedGroup["inbox"];
  readonly wakeUp: CommittedGroup["wakeUp"];
  readonly effect: ResolvedEffect | null;
}

/** Writes the alerts' rows and the group's, and tells the session. The locks are taken in the order of every writer. */
export async function storeGroup(
  transaction: Queryable,
  {
    key,
    stored,
    decided,
    after,
  }: {
    readonly key: string;
    readonly stored: StoredGroup;
    readonly decided: readonly DecidedAlert[];
    readonly after: FoldedGroup;
  },
): Promise<StoredAlerts> {
  const sent = { events: [], inbox: undefined, wakeUp: undefined, effect: null };
  const { sessionId } = after;
  const rows = decided.flatMap(({ row }) => row ?? []);
  const last = decided.at(-1);
  if (sessionId === null) {
    await transaction.query(FORGET_EMPTY, [key]);
    return sent;
  }
  if (last === undefined || rows.length === 0) return sent;
  const isOver = await isIncidentOver(
    transaction,
    sessionId,
    decided.map(({ alert }) => alert),
  );
  const isDue = isOver && after.phase === "running";
  const due = isDue ? await dueEffect(transaction, sessionId, last.alert) : undefined;
  const effect = due?.effect ?? null;
  const isJoined = rows.some(({ outcome }) => outcome === "linked");
  const { isResolved } = last.alert.group;
  const isNews = stored.isAnnouncementDue || stored.sessionId !== sessionId || isResolved;
  const [notified] = await selectRows(transaction, parseStored, STORE, [
    key,
    sessionId,
    after.count,
    after.bytes,
    after.reopened,
    isJoined && isNews,
    isOver,
    effect === "cancel",
    JSON.stringify(postgresSafeValue(rows.map((row) => (row.is_resolved ? { ...row, effect } : row)))),
    isJoined,
  ]);
  if (!isJoined) return sent;
  const announcement = {
    type: "alert.linked" as const,
    session_id: sessionId,
    count: after.count,
    is_resolved: isResolved,
    effect,
  };
  // Before the events with which a pending session ends.
  const announced = isNews ? await appendEvents(transaction, sessionId, [announcement]) : [];
  const inbox = { sessionId, seq: notified?.inbox_seq ?? 0 };
  if (due === undefined) return { ...sent, events: announced, inbox };
  const applied = await applyEffect(transaction, due, after.count);
  return {
    events: [...announced, ...applied.events],
    inbox: { sessionId, seq: applied.inboxSeq ?? inbox.seq },
    wakeUp: applied.wakeUp,
    effect,
  };
}
