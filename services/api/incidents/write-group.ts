import { uuidV7 } from "#shared/uuid-v7.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { insertOne } from "../alerts/insert-one.ts";
import { KEEP_KEY } from "../alerts/insert-session.ts";
import { insertKeys } from "./alert-rows.ts";
import { decideGroup } from "./decide-group.ts";
import type { CommittedGroup, GroupedAlert, GroupedResult } from "./grouped-alert.ts";
import { lockGroup } from "./read-group.ts";
import { storeGroup } from "./store-group.ts";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { Uuid } from "#shared/contracts/uuid.ts";
import { selectRows } from "#shared/database/select-rows.ts";

const FIND = `
SELECT k.key, k.session_id, k.request_hash, s.owner_subject, s.teams
FROM idempotency_keys k JOIN alert_sessions s USING (session_id) WHERE k.key = ANY($1::text[]) AND k.expires_at > now()`;
const parseFound = compileParser(
  "idempotency key row",
  Type.Object({
    key: Type.String(),
    session_id: Uuid,
    request_hash: Type.String(),
    owner_subject: Type.Union([Type.String(), Type.Null()]),
    teams: Type.Array(Type.String()),
  }),
);

/** The alerts that were submitted before with the same idempotency key, and the error of those whose key stands for another request. */
async function findReplays(
  transaction: Queryable,
  alerts: readonly GroupedAlert[],
): Promise<ReadonlyMap<GroupedAlert, GroupedResult | Error>> {
  const keys = alerts.flatMap(({ key }) => (key === undefined ? [] : [key.key]));
  if (keys.length === 0) return new Map();
  const found = await selectRows(transaction, parseFound, FIND, [keys]);
  const replays = new Map<GroupedAlert, GroupedResult | Error>();
  for (const alert of alerts) {
    const { key } = alert;
    const known = found.find((row) => row.key === key?.key);
    if (key === undefined || known === undefined) continue;
    if (key.conflict !== undefined && known.request_hash !== key.requestHash) {
      replays.set(alert, key.conflict);
      continue;
    }
    if (key.keptHours !== undefined) await transaction.query(KEEP_KEY, [key.key, key.keptHours]);
    replays.set(alert, { outcome: "replayed", sessionId: known.session_id, access: known, effect: null });
  }
  return replays;
}

/** An idempotency key was taken by another transaction meanwhile: the transaction is to be repeated. */
export class KeyTakenError extends Error {}

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
  const { decided, after } = decideGroup(stored, fresh);
  const opener = decided.find(({ outcome }) => outcome === "opened" || outcome === "reopened");
  if (opener !== undefined) {
    const reopenedFrom = opener.outcome === "reopened" ? stored.sessionId : null;
    await insertOne(transaction, opener.alert.session, { reopenedFrom });
  }
  const isKeyed = await insertKeys(
    transaction,
    decided.flatMap(({ alert, sessionId }) => (sessionId === null ? [] : [{ alert, sessionId }])),
  );
  if (!isKeyed) throw new KeyTakenError("an idempotency key was taken meanwhile");
  const unknown = decided.filter(({ outcome }) => outcome === "unknown");
  for (const { alert } of unknown) await notifyUnknown(transaction, alert);
  const sent = await storeGroup(transaction, { key: first.group.key, stored, decided, after });
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

const STORE = `
INSERT INTO alert_notifications (key, source, session_id, body) VALUES ($1, $2, NULL, $3) ON CONFLICT (key) DO NOTHING`;

/** Stores an alert that says that it is over and belongs to no session, like the notifications of webhooks; a repetition with its key once. */
async function notifyUnknown(transaction: Queryable, { key, source, session }: GroupedAlert): Promise<void> {
  await transaction.query(STORE, [key?.key ?? uuidV7(), source, session.data]);
}
