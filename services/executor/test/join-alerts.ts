import { Type } from "typebox";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { ExecutorFixture } from "./executor-fixture.ts";

const parseInbox = compileParser("inbox", Type.Object({ inbox_seq: Type.Integer() }));

/** Lets alerts with these texts join a session as the api does, and tells the owner; the first of them comes with the session's own. */
export async function joinAlerts(
  executor: ExecutorFixture,
  id: string,
  texts: readonly (string | null)[],
): Promise<void> {
  await executor.query(
    `WITH told AS (UPDATE session_runtime SET inbox_seq = inbox_seq + 1 WHERE session_id = $1 RETURNING session_id),
     so_far AS (SELECT coalesce(max(ordinal), 0) AS n FROM group_alerts WHERE session_id = $1),
     item AS (
       SELECT 'linked' AS outcome, greatest(n, 1) + t.position AS ordinal, t.data
       FROM so_far, json_array_elements_text($2::json) WITH ORDINALITY AS t(data, position)
       UNION ALL SELECT 'opened', 1, NULL FROM so_far WHERE n = 0)
     INSERT INTO group_alerts (alert_id, session_id, ordinal, group_key, outcome, is_resolved, author, data, bytes)
     SELECT gen_random_uuid(), told.session_id, item.ordinal, 'group', item.outcome, false, 'jane', item.data, coalesce(length(item.data), 0)
     FROM told, item`,
    [id, JSON.stringify(texts)],
  );
  const runtime = await executor.row("session_runtime", "inbox_seq", id);
  executor.deps.leases.find(id)?.noticeInbox(parseInbox(runtime).inbox_seq);
}
