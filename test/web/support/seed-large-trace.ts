import type { Queryable } from "#shared/database/queryable.ts";
import { seedSession } from "../../../services/api/test/seed-sessions.ts";

const INSERT_CALLS = `
INSERT INTO llm_interactions (interaction_id, session_id, stage_id, execution_id, created_at, interaction_type, model_name,
  llm_request, llm_response, duration_ms, total_tokens)
SELECT gen_random_uuid(), session_id, stage_id, execution_id, now() - make_interval(secs => $2 - n), 'iteration', 'large',
  '{}', '{}', 700, n
FROM agent_executions, generate_series(1, $2) AS n WHERE session_id = $1`;

/** A session whose one agent called a model many times, once a second. Resolves with its id. */
export async function seedLargeTrace(owner: Queryable, calls: number): Promise<string> {
  const id = await seedSession(owner, { alert: "a large trace" });
  await owner.query(INSERT_CALLS, [id, calls]);
  return id;
}
