import { Type } from "typebox";
import type { EntityManager } from "typeorm";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { selectRows } from "#shared/database/select-rows.ts";

/** Where a session's channel stands: its newest event and the timeline events that are still being written. */
export interface SessionState {
  readonly lastSeq: number;
  readonly openEventIds: readonly string[];
}

const parseState = compileParser(
  "session state row",
  Type.Object({ last_seq: Type.Integer(), open: Type.Array(Type.String()) }),
);

/** Both from one snapshot of the database, so that they belong together. Undefined for an unknown session. */
export async function readSessionState(
  manager: Pick<EntityManager, "query">,
  sessionId: string,
): Promise<SessionState | undefined> {
  const [row] = await selectRows(
    manager,
    parseState,
    `SELECT last_seq, ARRAY(SELECT event_id::text FROM timeline_events
       WHERE session_id = $1 AND status = 'streaming' ORDER BY created_at LIMIT 1000) AS open
     FROM session_runtime WHERE session_id = $1`,
    [sessionId],
  );
  return row === undefined ? undefined : { lastSeq: row.last_seq, openEventIds: row.open };
}
