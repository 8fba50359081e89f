import { isoText } from "#shared/database/iso-text.ts";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { literals } from "#shared/contracts/literals.ts";
import { PARKED_BY, isTerminal } from "#shared/contracts/statuses.ts";
import type { SessionEvent } from "#shared/contracts/session-event.ts";
import { SESSION_LANES, type SessionLane } from "#shared/contracts/subjects.ts";
import { appendEvents } from "#shared/database/append-events.ts";
import type { FoundSession } from "#shared/database/find-session.ts";
import { PARK_REQUEST_COLUMNS } from "#shared/database/parking-columns.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { RequestError } from "../http/request-error.ts";

/** Then a session that a person parked goes on by itself: as long as a tool call waits for a person's decision by default. */
const MAX_PARKED_HOURS = 168;

const parseState = compileParser(
  "parking of a session",
  Type.Object({
    by: Type.Union([literals(PARKED_BY), Type.Null()]),
    is_parked: Type.Boolean(),
    is_held: Type.Boolean(),
    is_released: Type.Boolean(),
    lane: literals(SESSION_LANES),
  }),
);

/** Locks the runtime row, as every writer. */
const READ = `
SELECT r.park_by AS by, r.parked_at IS NOT NULL AS is_parked,
       coalesce(r.park_until > clock_timestamp(), false) AS is_held, r.lease_expires_at IS NULL AS is_released,
       (SELECT lane FROM alert_sessions s WHERE s.session_id = r.session_id) AS lane
FROM session_runtime r WHERE r.session_id = $1 FOR NO KEY UPDATE`;

/** Without an owner it is parked at once. One that has not started is left alone by executors of any version until it goes on by itself. */
const PARK = `
UPDATE session_runtime SET inbox_seq = inbox_seq + 1,
  park_requested_at = coalesce(park_requested_at, now()), park_by = 'operator', park_actor = $2, park_reason = $3,
  park_until = now() + make_interval(hours => ${MAX_PARKED_HOURS}),
  parked_at = CASE WHEN $4::boolean THEN coalesce(parked_at, clock_timestamp()) END,
  not_before = CASE WHEN $5::boolean THEN now() + make_interval(hours => ${MAX_PARKED_HOURS})
                    WHEN $4 THEN 'infinity' ELSE not_before END
WHERE session_id = $1
RETURNING inbox_seq, ${isoText("park_until")} AS until`;
const parsePark = compileParser(
  "session to park",
  Type.Object({ inbox_seq: Type.Integer(), until: Type.String() }),
);

const FORGET = PARK_REQUEST_COLUMNS.map((name) => `${name} = NULL`).join(", ");

const RESUME_PENDING = `
WITH parked AS (SELECT parked_at FROM session_runtime WHERE session_id = $1)
UPDATE session_runtime r SET ${FORGET}, parked_at = NULL, resumed_at = now(), not_before = NULL, inbox_seq = inbox_seq + 1
FROM parked WHERE session_id = $1
RETURNING inbox_seq, least(2e9, extract(epoch FROM clock_timestamp() - parked.parked_at) * 1000)::int AS parked_ms`;
const parseResumed = compileParser(
  "resumed session",
  Type.Object({ inbox_seq: Type.Integer(), parked_ms: Type.Integer() }),
);

const TAKE_BACK = `UPDATE session_runtime SET ${FORGET}, inbox_seq = inbox_seq + 1 WHERE session_id = $1 RETURNING inbox_seq`;
const LET_GO = `UPDATE session_runtime SET park_until = NULL, inbox_seq = inbox_seq + 1 WHERE session_id = $1 RETURNING inbox_seq`;
const parseInbox = compileParser("inbox of a session", Type.Object({ inbox_seq: Type.Integer() }));

/** What is committed with the transaction. */
export interface ChangedParking<S extends string> {
  readonly status: S;
  readonly events: readonly SessionEvent[];
  /** The number of its entry in the session's inbox; undefined if nothing was changed. */
  readonly inboxSeq?: number;
  /** The lane of a session that waits for a place from now on. */
  readonly waitsIn?: SessionLane;
}

/**
 * Parks a locked session for a person in the running transaction: at once without an owner, else its owner does after its step. Nothing changes
 * for one that a person has parked. Throws RequestError 409 if it has ended or is being cancelled.
 */
export async function parkForOperator(
  transaction: Queryable,
  session: FoundSession,
  { actor, reason }: { readonly actor: string; readonly reason: string | null },
): Promise<ChangedParking<"parking" | "parked">> {
  const { session_id, status } = session;
  throwIfOver(session, "parked");
  const state = await readState(transaction, session_id);
  if (state.is_held) return { status: state.is_parked ? "parked" : "parking", events: [] };
  const isParked = state.is_parked || state.is_released;
  const isPending = status === "pending";
  const [parked] = await selectRows(transaction, parsePark, PARK, [
    session_id,
    actor,
    reason,
    isParked,
    isPending,
  ]);
  if (parked === undefined) throw new Error(`session ${session_id} has no runtime row`);
  const { inbox_seq: inboxSeq, until } = parked;
  if (!isParked) return { status: "parking", events: [], inboxSeq };
  const events = await appendEvents(transaction, session_id, [
    { type: "session.parked", session_id, by: "operator", actor, reason, until },
  ]);
  return { status: "parked", events, inboxSeq };
}

/**
 * Lets a locked session go on in the running transaction, as soon as there is a place for it. Takes a request back that its owner has not
 * obeyed. Nothing changes for one that is not parked, or waits for a place already. Throws RequestError 409 if it has ended or is being cancelled.
 */
export async function resumeForOperator(
  transaction: Queryable,
  session: FoundSession,
): Promise<ChangedParking<"resuming" | "not_parked">> {
  const { session_id, status } = session;
  throwIfOver(session, "resumed");
  const state = await readState(transaction, session_id);
  if (state.by === null) return { status: "not_parked", events: [] };
  if (!state.is_parked) {
    const [row] = await selectRows(transaction, parseInbox, TAKE_BACK, [session_id]);
    return { status: "resuming", events: [], ...(row && { inboxSeq: row.inbox_seq }) };
  }
  if (status === "pending") {
    const [resumed] = await selectRows(transaction, parseResumed, RESUME_PENDING, [session_id]);
    if (resumed === undefined) throw new Error(`session ${session_id} has no runtime row`);
    const { inbox_seq: inboxSeq, parked_ms } = resumed;
    const events = await appendEvents(transaction, session_id, [
      { type: "session.resumed", session_id, parked_ms: Math.max(0, parked_ms) },
    ]);
    return { status: "resuming", events, inboxSeq, waitsIn: state.lane };
  }
  if (!state.is_held) return { status: "resuming", events: [] };
  const [row] = await selectRows(transaction, parseInbox, LET_GO, [session_id]);
  return { status: "resuming", events: [], ...(row && { inboxSeq: row.inbox_seq }), waitsIn: state.lane };
}

async function readState(transaction: Queryable, sessionId: string) {
  const [state] = await selectRows(transaction, parseState, READ, [sessionId]);
  if (state === undefined) throw new Error(`session ${sessionId} has no runtime row`);
  return state;
}

function throwIfOver({ status }: FoundSession, done: "parked" | "resumed"): void {
  if (isTerminal(status)) {
    throw new RequestError(409, `the session is over: it is ${status}, and cannot be ${done} any more`);
  }
  if (status === "cancelling") {
    throw new RequestError(409, `the session is being cancelled, and cannot be ${done} any more`);
  }
}
