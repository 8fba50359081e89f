import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { isoText } from "#shared/database/iso-text.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import type { SystemWarning } from "../system/system-warnings.ts";

/** Fewer in a row happen with every model. */
const MANY_UNREAD = 5;

const parseUnread = compileParser(
  "unread conclusions of a model",
  Type.Object({ model: Type.String(), times: Type.Integer(), since: Type.String(), why: Type.String() }),
);

/** The conclusions of the last week that could not be read are few, and an index has them; others are read only where a model has many. */
const UNREAD = `
WITH unread AS MATERIALIZED (
  SELECT e.model_name, c.created_at, c.remarks ->> 0 AS why
  FROM conclusions c JOIN agent_executions e USING (execution_id)
  WHERE c.status = 'unchecked' AND c.created_at > now() - interval '7 days' AND e.model_name IS NOT NULL
), many AS (
  SELECT model_name, min(created_at) AS since FROM unread GROUP BY model_name HAVING count(*) >= ${MANY_UNREAD}
), newest_read AS (
  SELECT e.model_name, max(c.created_at) AS at FROM many
  JOIN conclusions c ON c.created_at > many.since AND c.status <> 'unchecked'
  JOIN agent_executions e ON e.execution_id = c.execution_id AND e.model_name = many.model_name GROUP BY e.model_name
)
SELECT u.model_name AS model, count(*)::int AS times, ${isoText("min(u.created_at)")} AS since,
  coalesce((array_agg(u.why ORDER BY u.created_at DESC))[1], '') AS why
FROM many JOIN unread u USING (model_name) LEFT JOIN newest_read r USING (model_name)
WHERE r.at IS NULL OR u.created_at > r.at GROUP BY u.model_name HAVING count(*) >= ${MANY_UNREAD} ORDER BY u.model_name`;

/** A warning for each model whose newest conclusions could not be read, five or more in a row. Throws database errors. */
export async function unreadConclusions(db: Queryable): Promise<readonly SystemWarning[]> {
  const models = await selectRows(db, parseUnread, UNREAD, []);
  return models.map(({ model, times, since, why }) => ({
    id: `llm:${model}:conclusions`,
    category: "llm",
    message: `the last ${times} conclusions of model ${model} could not be read`,
    details: `Its answers stand without checked quotes. The newest: ${why} Take another model, or set conclusion: none for its agents.`,
    created_at: since,
  }));
}
