import { Type } from "typebox";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import {
  parseSessionEventPayload,
  type SessionEvent,
  type SessionEventPayload,
  type UnstampedPayload,
} from "#shared/contracts/session-event.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { postgresSafeValue } from "#shared/postgres-safe-value.ts";
import type { Queryable } from "#shared/database/queryable.ts";

/**
 * The writer of events. An `owner` is fenced by its lease epoch. Once a cancel was requested, its `step` and `finish`
 * are refused and only `close` is accepted; `finish` and `close` end the lease. `system` writes without a lease: it
 * starts and cancels sessions.
 */
type EventWriter =
  | { readonly kind: "owner"; readonly epoch: number; readonly write: "step" | "finish" | "close" }
  | { readonly kind: "system" };

/** Tokens of the step's LLM calls, added to the session's totals. */
export interface TokenUsage {
  readonly input: number;
  readonly output: number;
  readonly thinking: number;
  readonly total: number;
}

export const NO_TOKENS: TokenUsage = { input: 0, output: 0, thinking: 0, total: 0 };

const parseAppended = compileParser(
  "appended events",
  Type.Object({
    base: Type.Union([Type.Integer(), Type.Null()]),
    stamp: Type.Union([Type.String(), Type.Null()]),
    ids: Type.Array(Type.Integer()),
  }),
);

/**
 * One statement for three purposes. Fencing: the update matches only while the writer's epoch is current and no cancel
 * was requested (unless the owner closes); it locks the row until COMMIT. Numbering: `seq` is assigned under that lock,
 * so commit order equals `seq` order; with a sequence, a reader could miss an event that commits late. Stamping:
 * RETURNING is evaluated once the row is locked, so the events' time rises with `seq`; now() would be the time at which
 * the transaction began, perhaps before an event that was committed earlier. An owner's write also shows that the
 * session makes progress, so it resets `attempts` and `interruptions`.
 */
const APPEND = `
WITH numbered AS (
  UPDATE session_runtime SET
    last_seq = last_seq + $2,
    last_interaction_at = now(),
    attempts = CASE WHEN $3::int IS NULL THEN attempts ELSE 0 END,
    interruptions = CASE WHEN $3::int IS NULL THEN interruptions ELSE 0 END,
    lease_expires_at = CASE WHEN $10::boolean THEN NULL ELSE lease_expires_at END,
    input_tokens = input_tokens + $6,
    output_tokens = output_tokens + $7,
    thinking_tokens = thinking_tokens + $8,
    total_tokens = total_tokens + $9
  WHERE session_id = $1
    AND ($3::int IS NULL OR (lease_epoch = $3 AND lease_expires_at IS NOT NULL
                             AND ($4::boolean OR cancel_requested_at IS NULL)))
  RETURNING last_seq - $2 AS base,
            to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS stamp
), inserted AS (
  INSERT INTO events (session_id, seq, payload)
  SELECT $1, numbered.base + item.ordinality::int, item.value || jsonb_build_object('timestamp', stamp)
  FROM numbered, jsonb_array_elements($5::jsonb) WITH ORDINALITY AS item(value, ordinality)
  RETURNING id, seq
)
SELECT (SELECT base FROM numbered) AS base, (SELECT stamp FROM numbered) AS stamp,
       coalesce((SELECT json_agg(id ORDER BY seq) FROM inserted), '[]'::json) AS ids`;

/**
 * Appends events to a session's log, as the last statement of the running transaction, and returns them numbered and
 * with their timestamp, exactly as stored. Returns null when the fence refused the writer; the caller must then roll back. A transaction without events must
 * call it, too, for the fence.
 */
export async function appendEvents(
  manager: Queryable,
  sessionId: string,
  writer: EventWriter,
  payloads: readonly UnstampedPayload[],
  tokens: TokenUsage = NO_TOKENS,
): Promise<SessionEvent[] | null> {
  const safe = payloads.map((payload) => postgresSafeValue(payload));
  const [appended] = await selectRows(manager, parseAppended, APPEND, [
    sessionId,
    payloads.length,
    writer.kind === "owner" ? writer.epoch : null,
    writer.kind === "owner" && writer.write === "close",
    JSON.stringify(safe),
    tokens.input,
    tokens.output,
    tokens.thinking,
    tokens.total,
    writer.kind === "owner" && writer.write !== "step",
  ]);
  if (appended === undefined || appended.base === null || appended.stamp === null) return null;
  const { base, stamp: timestamp, ids } = appended;
  return payloads.map((payload, index) => ({
    session_id: sessionId,
    seq: base + index + 1,
    db_event_id: ids[index] ?? 0,
    payload: storedPayload(payload, safe[index], timestamp),
  }));
}

/** The payload as its row has it; `safe` is its Postgres-safe form. */
function storedPayload(payload: UnstampedPayload, safe: unknown, timestamp: string): SessionEventPayload {
  return safe === payload
    ? { ...payload, timestamp }
    : parseSessionEventPayload(Object.assign({}, safe, { timestamp }));
}
