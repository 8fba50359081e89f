import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { safeCut } from "#shared/safe-cut.ts";
import { KEY_LIFETIME_HOURS } from "../alerts/submission-key.ts";
import type { GroupedAlert, ResolvedEffect } from "./grouped-alert.ts";

/** Characters of an alert's text that are stored beside its session. */
export const MAX_STORED_CHARACTERS = 16_384;
/** Bytes of all texts that are stored of the alerts of a session; after that an alert's row has none. */
const MAX_STORED_BYTES = 16 * 1024 * 1024;

/** A row of `group_alerts`. */
export interface AlertRow {
  readonly alert_id: string;
  readonly session_id: string;
  readonly ordinal: number;
  readonly group_key: string;
  readonly outcome: "opened" | "reopened" | "linked" | "counted";
  readonly is_resolved: boolean;
  readonly effect: ResolvedEffect | null;
  readonly author: string;
  readonly source_key: string | null;
  readonly data: string | null;
  readonly bytes: number;
}

/** What is stored of an alert's text, after `used` bytes of others: null where there is no room, and for the one that a session has. */
export function storedText(data: string, used: number): string | null {
  return used >= MAX_STORED_BYTES ? null : data.slice(0, safeCut(data, MAX_STORED_CHARACTERS));
}

const parseCount = compileParser("written rows", Type.Object({ n: Type.Integer() }));

/** In the order of the keys: two transactions with the same keys wait for each other, and never in a circle. */
const INSERT_KEYS = `
WITH item AS MATERIALIZED (
  SELECT * FROM json_to_recordset($1::json) AS item (key text, session_id uuid, request_hash text, hours integer) ORDER BY key
), inserted AS (
  INSERT INTO idempotency_keys AS existing (key, session_id, request_hash, expires_at)
  SELECT key, session_id, request_hash, now() + make_interval(hours => hours) FROM item ORDER BY key
  ON CONFLICT (key) DO UPDATE SET session_id = excluded.session_id, request_hash = excluded.request_hash,
    created_at = now(), expires_at = excluded.expires_at
  WHERE existing.expires_at <= now()
  RETURNING 1
)
SELECT count(*)::int AS n FROM inserted`;

/** Inserts the idempotency keys of alerts for the sessions that they belong to. False if another transaction has inserted one meanwhile. */
export async function insertKeys(
  transaction: Queryable,
  keys: readonly { readonly alert: GroupedAlert; readonly sessionId: string }[],
): Promise<boolean> {
  const rows = keys.flatMap(({ alert: { key }, sessionId }) =>
    key === undefined
      ? []
      : [
          {
            key: key.key,
            session_id: sessionId,
            request_hash: key.requestHash,
            hours: key.keptHours ?? KEY_LIFETIME_HOURS,
          },
        ],
  );
  if (rows.length === 0) return true;
  const [inserted] = await selectRows(transaction, parseCount, INSERT_KEYS, [JSON.stringify(rows)]);
  return inserted?.n === rows.length;
}
