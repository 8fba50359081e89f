import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { Uuid } from "#shared/contracts/uuid.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { KEEP_KEY } from "../alerts/insert-session.ts";
import type { GroupedAlert, GroupedResult } from "./grouped-alert.ts";

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
export async function findReplays(
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
