import type { Queryable } from "#shared/database/queryable.ts";

/** Sessions of one statement. */
const PAGE = 1_000;
/** One in so many has an alert of 1 MiB. */
const LARGE_EVERY = 2_000;

/** Alerts of 1 to 20 KiB with words, names and ids of their own. */
const SESSIONS = `
INSERT INTO alert_sessions (session_id, alert_data, agent_type, alert_type, chain_id, resolved_config, config_hash, status,
  author, created_at, started_at, completed_at, final_analysis, executive_summary)
SELECT ('00000000-0000-4000-8000-' || lpad(to_hex(n), 12, '0'))::uuid,
  '{"namespace":"ns-' || n % 97 || '","pod":"' || md5(n::text) || '","notes":"'
    || CASE WHEN n % 10 = 3 THEN 'tenthword ' ELSE '' END || CASE WHEN n % 100 = 7 THEN 'hundredthword ' ELSE '' END
    || CASE WHEN n % 20000 = 11 THEN 'rareword ' ELSE '' END
    || left(lorem.text, CASE WHEN n % ${LARGE_EVERY} = 5 THEN 1000000 ELSE 1000 + (n * 7919) % 19000 END) || '"}',
  'bench', 'type-' || n % 20, 'chain-' || n % 20, '{"stages": [{}]}', 'hash', outcome.status::session_status,
  'author-' || n % 50, at.created, at.created, CASE WHEN outcome.status NOT IN ('pending', 'in_progress') THEN
    at.created + make_interval(secs => 10 + (n * 31) % 900) END, 'The analysis of ' || md5((n * 3)::text), 'summary'
FROM generate_series($1::int, $2::int) AS n,
  LATERAL (SELECT CASE WHEN n > $3 - 20 THEN 'pending' WHEN n > $3 - 40 THEN 'in_progress'
    ELSE (ARRAY['completed', 'completed', 'completed', 'failed', 'timed_out', 'cancelled'])[1 + n / 20 % 6] END AS status) AS outcome,
  LATERAL (SELECT now() - make_interval(secs => ($3 - n) * 60) AS created) AS at,
  LATERAL (SELECT repeat($4 || md5((n + 1)::text) || ' ', CASE WHEN n % ${LARGE_EVERY} = 5 THEN 1000 ELSE 20 END) AS text) AS lorem`;

const RUNTIME = `
INSERT INTO session_runtime (session_id, last_seq, input_tokens, output_tokens, total_tokens, estimated_cost_usd,
  priced_interaction_count, unpriced_interaction_count, unpriced_tokens)
SELECT session_id, 1, 1500, 500, 2000, 0.012345678901, 5, 5, 1000 FROM alert_sessions WHERE session_id BETWEEN $1 AND $2`;

/** Two models for each session, of which one has a price. */
const USAGE = `
INSERT INTO session_model_usage (session_id, model_name, interaction_count, failed_interaction_count, input_tokens,
  cached_input_tokens, output_tokens, thinking_tokens, total_tokens, estimated_cost_usd, priced_interaction_count,
  unpriced_interaction_count, unpriced_tokens, duration_ms)
SELECT session_id, model.name, 5, 0, 750, 0, 250, 0, 1000, model.usd, 5 * model.priced, 5 - 5 * model.priced,
  1000 - 1000 * model.priced, 9000
FROM alert_sessions, (VALUES ('priced', 0.012345678901, 1), ('unpriced', 0, 0)) AS model(name, usd, priced)
WHERE session_id BETWEEN $1 AND $2`;

const EXECUTIONS = `
WITH stage AS (
  INSERT INTO stages (stage_id, session_id, stage_name, stage_index, expected_agent_count, status)
  SELECT session_id, session_id, 'look', 1, 1, 'completed' FROM alert_sessions WHERE session_id BETWEEN $1 AND $2
  RETURNING session_id
)
INSERT INTO agent_executions (execution_id, stage_id, session_id, agent_name, agent_index, iteration_strategy, iteration_state,
  llm_provider, status)
SELECT session_id, session_id, session_id, 'agent', 1, 'react', '{"iteration":1}', 'scripted', 'completed' FROM stage`;

/** Ten entries of a timeline, of some hundred characters each. */
const TIMELINE = `
INSERT INTO timeline_events (event_id, session_id, stage_id, execution_id, sequence_number, event_type, status, content, seq)
SELECT gen_random_uuid(), session_id, session_id, session_id, line, 'tool_result', 'completed',
  'the kubelet evicted pod ' || md5(session_id::text || line) || CASE WHEN ('x' || right(session_id::text, 4))::bit(16)::int % 700 = 0
    AND line = 5 THEN ' toolword' ELSE '' END || ' ' || left($3, 100 + line * 60), 1
FROM alert_sessions, generate_series(1, 10) AS line WHERE session_id BETWEEN $1 AND $2`;

const LOREM = `The alert fired because the container exceeded its memory limit and was restarted by the node. Requests to the
service fail with status 503 while its replicas start, the queue of the consumer grows, and the latency of the database rises above
its objective. Events of the cluster name a node under disk pressure, a volume that cannot be mounted, and an image whose layers are
pulled again and again. The dashboard shows a rise of errors since the deployment at noon, which changed limits, probes and the
version of the library that opens connections. On call engineers looked at logs, metrics and traces of the gateway and found
timeouts towards the billing backend, whose certificate is to be renewed by the controller within a day. `;

/** Stores sessions with alerts, one stage and a timeline, most of which have ended, as they would be after weeks. */
export async function seedManySessions(
  owner: Queryable,
  sessions: number,
  signal: AbortSignal,
): Promise<void> {
  const idOf = (n: number) => `00000000-0000-4000-8000-${n.toString(16).padStart(12, "0")}`;
  for (let first = 1; first <= sessions; first += PAGE) {
    signal.throwIfAborted();
    const last = Math.min(sessions, first + PAGE - 1);
    const range = [idOf(first), idOf(last)];
    await owner.query(SESSIONS, [first, last, sessions, LOREM]);
    await owner.query(RUNTIME, range);
    await owner.query(USAGE, range);
    await owner.query(EXECUTIONS, range);
    await owner.query(TIMELINE, [...range, LOREM]);
  }
}
