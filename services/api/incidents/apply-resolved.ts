import { uuidFrom } from "#shared/uuid-from.ts";
import { maySee } from "#shared/access/authorize.ts";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { INCIDENT_OVER, isTerminal } from "#shared/contracts/statuses.ts";
import type { SessionEvent } from "#shared/contracts/session-event.ts";
import type { WakeUp } from "#shared/contracts/wake-up-queue.ts";
import { findSession, type FoundSession } from "#shared/database/find-session.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { cancelUnfinished } from "../sessions/cancel-unfinished.ts";
import { postSteering } from "../steering/post-steering.ts";
import type { GroupedAlert, ResolvedEffect } from "./grouped-alert.ts";

/** The newest alert of each kind that is not over. */
const FIRING = `
SELECT count(*)::int AS n FROM (
  SELECT DISTINCT ON (source_key) source_key, is_resolved FROM group_alerts
  WHERE session_id = $1 AND source_key IS NOT NULL ORDER BY source_key, ordinal DESC) newest
WHERE NOT is_resolved AND NOT source_key = ANY($2::text[])`;
const parseCount = compileParser("alerts that are not over", Type.Object({ n: Type.Integer() }));

/**
 * True if the incident is over with the last of `alerts`, of which it alone may say so: each alert that the group tells apart is,
 * or the group tells none apart.
 */
export async function isIncidentOver(
  transaction: Queryable,
  sessionId: string,
  alerts: readonly GroupedAlert[],
): Promise<boolean> {
  const last = alerts.at(-1);
  if (last?.group.isResolved !== true) return false;
  const { sourceKey } = last.group;
  if (sourceKey === null) return true;
  if (alerts.some(({ group }) => group.sourceKey !== null && group.sourceKey !== sourceKey)) return false;
  const [firing] = await selectRows(transaction, parseCount, FIRING, [sessionId, [sourceKey]]);
  return firing?.n === 0;
}

/** The session of an incident that is over, locked, and what it is to do. */
interface DueEffect {
  readonly session: FoundSession;
  readonly effect: ResolvedEffect;
}

/**
 * Locks the running session of an incident that is over; undefined if nothing is to be done. Only an alert whose sender may see
 * the session ends it: others can guess what the alerts of a group have in common.
 */
export async function dueEffect(
  transaction: Queryable,
  sessionId: string,
  { group: { rule }, identity }: GroupedAlert,
): Promise<DueEffect | undefined> {
  if (rule.onResolved === "continue") return undefined;
  const session = await findSession(transaction, sessionId, { lock: true });
  if (session === undefined || !maySee(identity, session)) return undefined;
  if (isTerminal(session.status) || session.status === "cancelling") return undefined;
  return { session, effect: rule.onResolved };
}

const REASON = "The source of the alert reports that the incident is over.";

/** What is to be sent once the effect is committed. */
interface AppliedEffect {
  readonly events: readonly SessionEvent[];
  readonly wakeUp: WakeUp | undefined;
  readonly inboxSeq: number | undefined;
}

/** Has the agents of a locked session conclude, or cancels it. `ordinal` is that of the alert which says that it is over. */
export async function applyEffect(
  transaction: Queryable,
  { session, effect }: DueEffect,
  ordinal: number,
): Promise<AppliedEffect> {
  if (effect === "cancel") {
    const cancelled = await cancelUnfinished(transaction, session, { actor: null, reason: INCIDENT_OVER });
    return { ...cancelled, inboxSeq: undefined };
  }
  const posted = await postSteering(transaction, session, {
    messageId: uuidFrom(`resolved:${ordinal}`, session.session_id),
    requestHash: null,
    mode: "conclude",
    content: REASON,
    executionId: null,
    author: "alert",
    isFromAlert: true,
  });
  return { events: posted.events, wakeUp: posted.wakeUp, inboxSeq: posted.inboxSeq };
}
