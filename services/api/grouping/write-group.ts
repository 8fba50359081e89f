import { Type } from "#shared/generated/typebox/typebox.mjs";
import { v7 as uuidV7 } from "uuid";
import { maySee, type SessionAccess } from "#shared/access/authorize.ts";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { SessionEvent } from "#shared/contracts/session-event.ts";
import { appendEvents } from "#shared/database/append-events.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { insertWithoutKey } from "../submit/insert-session.ts";
import { insertAlerts, insertKeys, storedText, type AlertRow } from "./alert-rows.ts";
import { applyEffect, dueEffect, isIncidentOver } from "./apply-resolved.ts";
import { decideAlert, type AlertOutcome, type GroupPhase } from "./decide-alert.ts";
import type { CommittedGroup, GroupedAlert, GroupedResult, ResolvedEffect } from "./grouped-alert.ts";
import { notifyUnknown } from "./notify-unknown.ts";
import { lockGroup, type StoredGroup } from "./read-group.ts";
import { findReplays } from "./find-replays.ts";

/** An idempotency key was taken by somebody else meanwhile: the transaction is to be repeated. */
export class KeyTakenError extends Error {}

const KEEP_GROUP = `
WITH kept AS (
  UPDATE alert_groups SET session_id = $2, count = $3, bytes = $4, reopened = $5, last_at = clock_timestamp(),
    first_at = CASE WHEN session_id IS DISTINCT FROM $2 THEN clock_timestamp() ELSE first_at END,
    announced_at = CASE WHEN $6::boolean THEN clock_timestamp() WHEN session_id IS DISTINCT FROM $2 THEN NULL ELSE announced_at END,
    resolved_at = CASE WHEN $7::boolean THEN clock_timestamp() END, is_cancelled = $8
  WHERE group_key = $1 RETURNING 1
)
SELECT count(*)::int AS n FROM kept`;
const parseKept = compileParser("kept group", Type.Object({ n: Type.Integer() }));

/** As for a message of a person: the owner reads what is new before its next call of the model. */
const TELL_OWNER = `
WITH told AS (
  UPDATE session_runtime SET inbox_seq = inbox_seq + 1 WHERE session_id = $1 RETURNING inbox_seq
)
SELECT inbox_seq FROM told`;
const parseTold = compileParser("told owner", Type.Object({ inbox_seq: Type.Integer() }));

const FORGET_EMPTY = "DELETE FROM alert_groups WHERE group_key = $1 AND session_id IS NULL";

/** The group after the alerts so far. */
interface Folded {
  readonly phase: GroupPhase;
  readonly sessionId: string | null;
  readonly access: SessionAccess;
  readonly count: number;
  readonly bytes: number;
  readonly reopened: number;
}

interface Decided {
  readonly alert: GroupedAlert;
  readonly outcome: AlertOutcome;
  readonly sessionId: string | null;
  readonly access: SessionAccess;
  readonly row: AlertRow | undefined;
}

/**
 * Decides and stores the alerts of one group in the running transaction, in their order, under the lock of the group's row. Only
 * the last one may say that it is over. An alert with the idempotency key of an earlier one is answered with that one's
 * session; with that of another request it fails alone. Throws KeyTakenError and database errors; then nothing is stored.
 */
export async function writeGroup(
  transaction: Queryable,
  alerts: readonly GroupedAlert[],
): Promise<{ readonly results: readonly (GroupedResult | Error)[]; readonly committed: CommittedGroup }> {
  const [first] = alerts;
  if (first === undefined) throw new Error("a group is written with at least one alert");
  const stored = await lockGroup(transaction, first.group);
  const replays = await findReplays(transaction, alerts);
  const fresh = alerts.filter((alert) => !replays.has(alert));
  const { decided, after } = decideAll(stored, fresh);
  const opener = decided.find(({ outcome }) => outcome === "opened" || outcome === "reopened");
  if (opener !== undefined) {
    const reopenedFrom = opener.outcome === "reopened" ? stored.sessionId : null;
    await insertWithoutKey(transaction, opener.alert.session, reopenedFrom);
  }
  const isKeyed = await insertKeys(
    transaction,
    decided.flatMap(({ alert, sessionId }) => (sessionId === null ? [] : [{ alert, sessionId }])),
  );
  if (!isKeyed) throw new KeyTakenError("an idempotency key was taken meanwhile");
  for (const { alert, outcome } of decided) if (outcome === "unknown") await notifyUnknown(transaction, alert);
  const sent = await writeRows(transaction, { key: first.group.key, stored, decided, after });
  const results = alerts.map((alert) => {
    const replay = replays.get(alert);
    if (replay !== undefined) return replay;
    const found = decided.find((one) => one.alert === alert);
    if (found === undefined) throw new Error("an alert was not decided");
    const effect = found.row?.is_resolved === true ? sent.effect : null;
    return { outcome: found.outcome, sessionId: found.sessionId, access: found.access, effect };
  });
  const committed = {
    events: sent.events,
    inbox: sent.inbox,
    cancelled: sent.effect === "cancel" && after.sessionId !== null ? after.sessionId : undefined,
    wakeUp: sent.wakeUp,
  };
  return { results, committed };
}

function decideAll(
  stored: StoredGroup,
  alerts: readonly GroupedAlert[],
): { readonly decided: readonly Decided[]; readonly after: Folded } {
  let state: Folded = {
    phase: stored.phase,
    sessionId: stored.phase === "none" || stored.phase === "over" ? null : stored.sessionId,
    access: stored,
    count: stored.count,
    bytes: stored.bytes,
    reopened: stored.reopened,
  };
  const decided: Decided[] = [];
  for (const alert of alerts) {
    const wanted = decideAlert(state, alert.group.rule, alert.group.isResolved);
    const outcome = wanted === "reopened" && !mayContinue(state.access, alert) ? "opened" : wanted;
    const isNew = outcome === "opened" || outcome === "reopened";
    if (isNew) {
      const { session } = alert;
      state = {
        phase: "running",
        sessionId: session.sessionId,
        access: { owner_subject: session.owner, teams: session.teams },
        count: 0,
        bytes: 0,
        reopened: outcome === "reopened" ? state.reopened + 1 : 0,
      };
    }
    if (outcome === "unknown" || state.sessionId === null) {
      decided.push({ alert, outcome, sessionId: null, access: state.access, row: undefined });
      continue;
    }
    const data = isNew ? null : storedText(alert.session.data, state.bytes);
    const row = rowOf(alert, { outcome, sessionId: state.sessionId, ordinal: state.count + 1, data });
    decided.push({ alert, outcome, sessionId: state.sessionId, access: state.access, row });
    state = { ...state, count: state.count + 1, bytes: state.bytes + Buffer.byteLength(data ?? "") };
  }
  return { decided, after: state };
}

function rowOf(
  { group, session }: GroupedAlert,
  {
    outcome,
    sessionId,
    ordinal,
    data,
  }: {
    readonly outcome: Exclude<AlertOutcome, "unknown">;
    readonly sessionId: string;
    readonly ordinal: number;
    readonly data: string | null;
  },
): AlertRow {
  return {
    alert_id: uuidV7(),
    session_id: sessionId,
    ordinal,
    group_key: group.key,
    outcome,
    is_resolved: group.isResolved,
    effect: null,
    author: session.author,
    source_key: group.sourceKey,
    data,
    bytes: Buffer.byteLength(session.data),
  };
}

interface Sent {
  readonly events: readonly SessionEvent[];
  readonly inbox: CommittedGroup["inbox"];
  readonly wakeUp: CommittedGroup["wakeUp"];
  readonly effect: ResolvedEffect | null;
}

/** Writes the alerts' rows and the group's, and tells the session. The locks are taken in the order of every writer. */
async function writeRows(
  transaction: Queryable,
  {
    key,
    stored,
    decided,
    after,
  }: {
    readonly key: string;
    readonly stored: StoredGroup;
    readonly decided: readonly Decided[];
    readonly after: Folded;
  },
): Promise<Sent> {
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
  const due = isOver && after.phase === "running" ? await dueEffect(transaction, sessionId, last.alert) : undefined;
  const effect = due?.effect ?? null;
  await insertAlerts(
    transaction,
    rows.map((row) => (row.is_resolved ? { ...row, effect } : row)),
  );
  const joined = rows.filter(({ outcome }) => outcome === "linked");
  const isAnnounced =
    joined.length > 0 && (stored.isAnnouncementDue || stored.sessionId !== sessionId || last.alert.group.isResolved);
  await selectRows(transaction, parseKept, KEEP_GROUP, [
    key,
    sessionId,
    after.count,
    after.bytes,
    after.reopened,
    isAnnounced,
    isOver,
    effect === "cancel",
  ]);
  if (joined.length === 0) return sent;
  const [told] = await selectRows(transaction, parseTold, TELL_OWNER, [sessionId]);
  const applied = due && (await applyEffect(transaction, due, after.count));
  const announcement = {
    type: "alert.linked" as const,
    session_id: sessionId,
    count: after.count,
    is_resolved: last.alert.group.isResolved,
    effect,
  };
  const announced = isAnnounced ? await appendEvents(transaction, sessionId, [announcement]) : [];
  return {
    events: [...(applied?.events ?? []), ...announced],
    inbox: { sessionId, seq: applied?.inboxSeq ?? told?.inbox_seq ?? 0 },
    wakeUp: applied?.wakeUp,
    effect,
  };
}

/** True if the agents of a new session may be told what the former one found: all who may see the new one could see the former. */
export function mayContinue(former: SessionAccess, { identity, session }: GroupedAlert): boolean {
  return maySee(identity, former) && session.teams.every((team) => former.teams.includes(team));
}
