import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { costAggregates } from "#shared/database/cost-sums.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { configOf } from "#shared/database/resolved-configs.ts";
import { selectRows } from "#shared/database/select-rows.ts";

const TextOrNull = Type.Union([Type.String(), Type.Null()]);
const SummaryCalls = Type.Object({
  /** The execution that the calls are stored with: its sums have their tokens, too. */
  execution_id: Type.String(),
  llm_provider: TextOrNull,
  llm_backend: TextOrNull,
  model_name: Type.String(),
  duration_ms: Type.Integer(),
  input_tokens: Type.Integer(),
  output_tokens: Type.Integer(),
  thinking_tokens: Type.Integer(),
  total_tokens: Type.Integer(),
  estimated_cost_usd: Type.Number(),
  priced_interaction_count: Type.Integer(),
  unpriced_interaction_count: Type.Integer(),
});

/** The calls for a session's executive summary: sums, and provider and model of the last one. */
export type SummaryCalls = Static<typeof SummaryCalls>;

const parseCalls = compileParser("calls for the summary", SummaryCalls);
const sum = (column: string) => `coalesce(sum(${column}), 0)::int AS ${column}`;

const COSTS = costAggregates("i");

/** The backend is that of the provider of this name in the session's configuration, in whichever place it stands. */
const CALLS = `
SELECT calls.*, (
  SELECT jsonb_path_query_first(${configOf("s")}, '$.** ? (@.name == $name).backend',
                                jsonb_build_object('name', calls.llm_provider)) #>> '{}'
  FROM alert_sessions s WHERE session_id = $1) AS llm_backend
FROM (
SELECT execution_id, (array_agg(llm_request->>'provider' ORDER BY created_at DESC))[1] AS llm_provider,
  (array_agg(model_name ORDER BY created_at DESC))[1] AS model_name,
  ${["duration_ms", "input_tokens", "output_tokens", "thinking_tokens", "total_tokens"].map(sum).join(", ")},
  (${COSTS.estimated_cost_usd})::float8 AS estimated_cost_usd, ${COSTS.priced_interaction_count} AS priced_interaction_count,
  ${COSTS.unpriced_interaction_count} AS unpriced_interaction_count
FROM llm_interactions i WHERE session_id = $1 AND interaction_type = 'executive_summary' GROUP BY execution_id LIMIT 1) calls`;

/** Reads the calls for the executive summary of a session; null before the first. */
export async function readSummaryCalls(db: Queryable, sessionId: string): Promise<SummaryCalls | null> {
  const [calls] = await selectRows(db, parseCalls, CALLS, [sessionId]);
  return calls ?? null;
}
