import { Type } from "typebox";
import type { EntityManager } from "typeorm";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { SessionEventPayload, type SessionEvent } from "#shared/contracts/session-event.ts";
import { selectRows } from "#shared/database/select-rows.ts";

const parseEventRow = compileParser(
  "event row",
  Type.Object({ id: Type.Integer(), seq: Type.Integer(), payload: SessionEventPayload }),
);

/**
 * The events of a session with `afterSeq < seq <= throughSeq`, ascending, at most `limit`. Whoever lost an event on
 * the bus reads it here.
 */
export async function readEvents(
  manager: Pick<EntityManager, "query">,
  sessionId: string,
  { afterSeq, throughSeq, limit }: { afterSeq: number; throughSeq?: number | undefined; limit: number },
): Promise<SessionEvent[]> {
  const rows = await selectRows(
    manager,
    parseEventRow,
    `SELECT id, seq, payload FROM events
     WHERE session_id = $1 AND seq > $2 AND ($3::int IS NULL OR seq <= $3) ORDER BY seq LIMIT $4`,
    [sessionId, afterSeq, throughSeq ?? null, limit],
  );
  return rows.map(({ id, seq, payload }) => ({ session_id: sessionId, seq, db_event_id: id, payload }));
}

const parseLastSeq = compileParser(
  "last seq row",
  Type.Object({ session_id: Type.String(), last_seq: Type.Integer() }),
);

/** The newest event number of each known session among `sessionIds`, in one query. */
export async function readLastSeqs(
  manager: Pick<EntityManager, "query">,
  sessionIds: readonly string[],
): Promise<Map<string, number>> {
  if (sessionIds.length === 0) return new Map();
  const rows = await selectRows(
    manager,
    parseLastSeq,
    "SELECT session_id, last_seq FROM session_runtime WHERE session_id = ANY($1::uuid[])",
    [sessionIds],
  );
  return new Map(rows.map((row) => [row.session_id, row.last_seq]));
}
