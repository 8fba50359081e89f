import { Type } from "typebox";
import type { EntityManager } from "typeorm";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { literals } from "#shared/contracts/literals.ts";
import type { UnstampedPayload } from "#shared/contracts/session-event.ts";
import { TIMELINE_EVENT_TYPES, type TerminalStatus } from "#shared/contracts/statuses.ts";
import { Uuid } from "#shared/contracts/uuid.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import type { SessionWriter } from "./session-writer.ts";

const parseOpenRow = compileParser(
  "open timeline row",
  Type.Object({ event_id: Uuid, event_type: literals(TIMELINE_EVENT_TYPES), content: Type.String() }),
);

const OPEN_ROWS = `
SELECT event_id, event_type, content FROM timeline_events
WHERE session_id = $1 AND status = 'streaming' AND ($2::uuid IS NULL OR execution_id = $2)
ORDER BY created_at, sequence_number`;

const CLOSE_ROW = `
UPDATE timeline_events SET status = $2, content = $3, updated_at = now() WHERE event_id = $1`;

/**
 * Within a step's transaction: ends the session's open timeline rows, or those of one execution, with the text streamed
 * so far, and returns their events.
 */
export async function closeTimeline(
  manager: EntityManager,
  session: SessionWriter,
  status: TerminalStatus,
  executionId: string | null = null,
): Promise<UnstampedPayload[]> {
  const rows = await selectRows(manager, parseOpenRow, OPEN_ROWS, [session.sessionId, executionId]);
  const events: UnstampedPayload[] = [];
  for (const { event_id, event_type, content: stored } of rows) {
    const content = session.streams.textOf(event_id) ?? stored;
    await manager.query(CLOSE_ROW, [event_id, status, content]);
    events.push({
      type: "timeline_event.completed",
      event_id,
      session_id: session.sessionId,
      event_type,
      status,
      content,
    });
  }
  return events;
}
