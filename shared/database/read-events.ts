import { isoText } from "#shared/database/iso-text.ts";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { StoredPayload, type StoredEvent } from "#shared/contracts/session-event.ts";
import { foundSessions } from "#shared/database/find-session.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import type { Queryable } from "#shared/database/queryable.ts";

const parseEventRow = compileParser(
  "event row",
  Type.Object({ id: Type.Integer(), seq: Type.Integer(), payload: StoredPayload }),
);

/** Which events of a session to read. */
interface EventRange {
  /** Exclusive lower bound. */
  readonly afterSeq: number;
  /** Inclusive upper bound. */
  readonly throughSeq?: number | undefined;
  /** Maximum number of events. */
  readonly limit: number;
  /** Reading ends with the event whose payload reaches this total; the first event is always read. */
  readonly maxBytes?: number | undefined;
}

/** The session is looked up once a statement: a deleted one has no events, however far a reader has come. */
const READ = `
SELECT id, seq, payload || jsonb_build_object('session_id', session_id, 'timestamp', ${isoText("created_at")}) AS payload
FROM events
WHERE session_id = $1 AND seq > $2 AND ($3::int IS NULL OR seq <= $3)
  AND EXISTS (SELECT 1 FROM (${foundSessions("ARRAY[$1::uuid]")}) AS found)
ORDER BY seq LIMIT $4`;

const READ_BOUNDED = `
SELECT id, seq, payload FROM (
  SELECT id, seq, payload,
         sum(octet_length(payload::text)) OVER (ORDER BY seq) - octet_length(payload::text) AS bytes_before
  FROM (${READ}) AS page
) AS sized
WHERE bytes_before < $5 ORDER BY seq`;

/**
 * The events of a session in a range of `seq`, ascending; none if the session is deleted. Fills the gaps of readers that
 * missed bus messages.
 */
export async function readEvents(
  manager: Queryable,
  sessionId: string,
  { afterSeq, throughSeq, limit, maxBytes }: EventRange,
): Promise<StoredEvent[]> {
  const range = [sessionId, afterSeq, throughSeq ?? null, limit];
  const rows =
    maxBytes === undefined
      ? await selectRows(manager, parseEventRow, READ, range)
      : await selectRows(manager, parseEventRow, READ_BOUNDED, [...range, maxBytes]);
  return rows.map(({ id, seq, payload }) => ({ session_id: sessionId, seq, db_event_id: id, payload }));
}

/** Whether a page begins right after `afterSeq` and has no gap; an empty one, whether nothing follows up to `lastSeq`. */
export function isContiguous(page: readonly StoredEvent[], afterSeq: number, lastSeq: number): boolean {
  if (page.length === 0) return afterSeq >= lastSeq;
  return page.every(({ seq }, index) => seq === afterSeq + 1 + index);
}
