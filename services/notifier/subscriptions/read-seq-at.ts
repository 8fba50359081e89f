import { Type } from "typebox";
import type { EntityManager } from "typeorm";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { selectRows } from "#shared/database/select-rows.ts";

const parseRow = compileParser("seq row", Type.Object({ seq: Type.Integer() }));

/** The number, within the session, of its newest event whose global id is at most `eventId`; 0 if there is none. */
export async function readSeqAt(
  manager: Pick<EntityManager, "query">,
  sessionId: string,
  eventId: number,
): Promise<number> {
  // Ids ascend with seq within a session, because both are taken under the session's row lock.
  const [row] = await selectRows(
    manager,
    parseRow,
    "SELECT coalesce(max(seq), 0) AS seq FROM events WHERE session_id = $1 AND id <= $2",
    [sessionId, eventId],
  );
  return row?.seq ?? 0;
}
