import { randomUUID } from "node:crypto";
import type { Queryable } from "#shared/database/queryable.ts";

/** What a seeded session has used of a model. */
interface SeededUsage {
  readonly input: number;
  readonly output: number;
  /** Exact, in decimals; absent where the model has no price. */
  readonly usd?: string;
  /** By default 1; all of them have a price or none has. */
  readonly calls?: number;
}

/** What a seeded session has; the rest has a default. */
export interface SeededSession {
  readonly alert?: string;
  readonly analysis?: string;
  readonly status?: string;
  readonly alertType?: string | null;
  readonly chain?: string;
  readonly author?: string | null;
  readonly owner?: string | null;
  readonly teams?: readonly string[];
  /** Seconds before now. */
  readonly age?: number;
  /** Seconds from its start to its end; by default 10 for one that has ended. */
  readonly duration?: number | null;
  readonly deleted?: boolean;
  /** RFC 3339; instead of `age`. */
  readonly createdAt?: string;
  /** By model. */
  readonly usage?: Readonly<Record<string, SeededUsage>>;
  /** Contents of its timeline. */
  readonly timeline?: readonly string[];
}

const ENDED = new Set(["completed", "failed", "cancelled", "timed_out"]);

const INSERT = `
WITH config AS (
  INSERT INTO resolved_configs (config_hash, config) VALUES ('seeded', '{"stages": [{}, {"synthesis": {}}]}') ON CONFLICT DO NOTHING
), session AS (
  INSERT INTO alert_sessions (session_id, alert_data, agent_type, alert_type, chain_id, config_hash, status,
    author, owner_subject, teams, created_at, started_at, completed_at, final_analysis, deleted_at)
  SELECT $1, $2, 'test', $3, $4, 'seeded', $5::session_status, $6, $7, $8::text[],
    now() - make_interval(secs => $9), now() - make_interval(secs => $9),
    CASE WHEN $10 THEN now() - make_interval(secs => $9) + make_interval(secs => $11) END, $12, CASE WHEN $13 THEN now() END
  RETURNING session_id
), runtime AS (
  INSERT INTO session_runtime (session_id, last_seq) SELECT session_id, 1 FROM session RETURNING session_id
), stage AS (
  INSERT INTO stages (stage_id, session_id, stage_name, stage_index, expected_agent_count)
  SELECT gen_random_uuid(), session_id, 'look', 1, 1 FROM runtime RETURNING stage_id, session_id
), execution AS (
  INSERT INTO agent_executions (execution_id, stage_id, session_id, agent_name, agent_index, iteration_strategy,
    iteration_state, llm_provider)
  SELECT gen_random_uuid(), stage_id, session_id, 'agent', 1, 'react', '{"iteration":1}', 'scripted' FROM stage
  RETURNING execution_id, stage_id, session_id
)
INSERT INTO timeline_events (event_id, session_id, stage_id, execution_id, sequence_number, event_type, status, content, seq, metadata)
SELECT gen_random_uuid(), session_id, stage_id, execution_id, n, 'tool_result', 'completed', content, 1,
  '{"is_error": false, "call_event_id": "call", "duration_ms": 1}'
FROM execution, unnest($14::text[]) WITH ORDINALITY AS t(content, n)`;

const USE_MODEL = `
WITH used AS (
  INSERT INTO session_model_usage (session_id, model_name, input_tokens,
    cached_input_tokens, output_tokens, thinking_tokens, total_tokens, estimated_cost_usd, priced_interaction_count,
    unpriced_interaction_count, unpriced_tokens)
  VALUES ($1, $2, $3, 0, $4, 0, $3::bigint + $4::bigint, $6, CASE WHEN $7::boolean THEN $5::int ELSE 0 END,
    CASE WHEN $7::boolean THEN 0 ELSE $5::int END, CASE WHEN $7::boolean THEN 0 ELSE $3::bigint + $4::bigint END)
  RETURNING *
)
UPDATE session_runtime r SET input_tokens = r.input_tokens + u.input_tokens, output_tokens = r.output_tokens + u.output_tokens,
  total_tokens = r.total_tokens + u.total_tokens, estimated_cost_usd = r.estimated_cost_usd + u.estimated_cost_usd,
  llm_interaction_count = r.llm_interaction_count + $5::int,
  priced_interaction_count = r.priced_interaction_count + u.priced_interaction_count,
  unpriced_interaction_count = r.unpriced_interaction_count + u.unpriced_interaction_count,
  unpriced_tokens = r.unpriced_tokens + u.unpriced_tokens
FROM used u WHERE r.session_id = u.session_id`;

/** Stores a session as it is some time after its submission, with one stage that has one agent. Resolves with its id. */
export async function seedSession(owner: Queryable, session: SeededSession = {}): Promise<string> {
  const { status = "completed", age = 60 } = session;
  const id = randomUUID();
  await owner.query(INSERT, [
    id,
    session.alert ?? "disk full",
    session.alertType === undefined ? "test" : session.alertType,
    session.chain ?? "test-chain",
    status,
    session.author ?? null,
    session.owner ?? null,
    session.teams ?? [],
    age,
    ENDED.has(status),
    session.duration ?? 10,
    session.analysis ?? null,
    session.deleted ?? false,
    session.timeline ?? [],
  ]);
  if (session.duration === null) {
    await owner.query("UPDATE alert_sessions SET started_at = NULL WHERE session_id = $1", [id]);
  }
  if (session.createdAt !== undefined) {
    await owner.query("UPDATE alert_sessions SET created_at = $2 WHERE session_id = $1", [
      id,
      session.createdAt,
    ]);
  }
  for (const [model, usage] of Object.entries(session.usage ?? {})) {
    await owner.query(USE_MODEL, [
      id,
      model,
      usage.input,
      usage.output,
      usage.calls ?? 1,
      usage.usd ?? "0",
      usage.usd !== undefined,
    ]);
  }
  return id;
}
