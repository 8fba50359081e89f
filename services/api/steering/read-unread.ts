import { isoText } from "#shared/database/iso-text.ts";
import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { Uuid } from "#shared/contracts/uuid.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { rowMembers } from "#shared/database/tables/row-members.ts";
import { STEERING_MESSAGES } from "#shared/database/tables/steering.ts";

const MAX_SHOWN = 50;

const Unread = Type.Object({
  ...rowMembers(STEERING_MESSAGES, "message_id", "mode", "content", "author", "created_at"),
  execution_ids: Type.Union([Type.Array(Uuid), Type.Null()]),
});
const parseUnread = compileParser("unread message", Unread);

/** A message whose agents have all ended without reading it stays unread; one for agents that start next is read by the first. */
const UNREAD = `
SELECT m.message_id, m.mode, m.content, m.author,
       ${isoText("m.created_at")} AS created_at,
       (SELECT array_agg(t.id ORDER BY t.position) FROM unnest(m.targets) WITH ORDINALITY AS t(id, position)
        WHERE NOT EXISTS (SELECT FROM steering_deliveries d
                          WHERE d.message_id = m.message_id AND d.execution_id = t.id)) AS execution_ids
FROM steering_messages m
WHERE m.session_id = $1
  AND (SELECT count(*) FROM steering_deliveries d WHERE d.message_id = m.message_id) < coalesce(cardinality(m.targets), 1)
ORDER BY m.ordinal LIMIT ${MAX_SHOWN}`;

/** The messages to a session that not all of their agents have read, oldest first, at most 50. */
export async function readUnreadSteering(
  db: Queryable,
  sessionId: string,
): Promise<readonly Static<typeof Unread>[]> {
  return selectRows(db, parseUnread, UNREAD, [sessionId]);
}
