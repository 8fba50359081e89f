import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { literals } from "#shared/contracts/literals.ts";
import { TERMINAL_STATUSES } from "#shared/contracts/statuses.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { AnsweringModel, type CellFacts } from "../results/cell-facts.ts";

const TextOrNull = Type.Union([Type.String(), Type.Null()]);

/** Of a conclusion or of the judge's words. */
const MAX_CHARACTERS = 100_000;
const MAX_ARGUMENTS = 4_000;
const MAX_ERROR = 1_000;
const MAX_TOOL_CALLS = 500;

/** Calls of the judge are those of its stage. A call without a price leaves the cost unknown if it used tokens. */
const SESSION = `
WITH calls AS (
  SELECT i.*, g.stage_type = 'scoring' AS is_judge FROM llm_interactions i JOIN stages g USING (stage_id) WHERE i.session_id = $1),
sums AS (
  SELECT count(*) FILTER (WHERE NOT is_judge)::int AS llm_calls,
    coalesce(sum(input_tokens) FILTER (WHERE NOT is_judge), 0)::int AS input_tokens,
    coalesce(sum(output_tokens) FILTER (WHERE NOT is_judge), 0)::int AS output_tokens,
    coalesce(jsonb_agg(DISTINCT jsonb_build_object('asked', model_name, 'answered', llm_response ->> 'answered_by'))
      FILTER (WHERE llm_response ? 'answered_by'), '[]') AS models,
    CASE WHEN count(*) FILTER (WHERE estimated_cost_usd IS NULL AND total_tokens > 0) = 0
      THEN coalesce(sum(estimated_cost_usd), 0)::float8 END AS cost_usd
  FROM calls),
judged AS (
  SELECT status, total_score, score_analysis, error_message, failure_tags FROM session_scores WHERE session_id = $1
  ORDER BY created_at DESC LIMIT 1)
SELECT s.status, s.error_message AS error, left(coalesce(s.final_analysis, ''), ${MAX_CHARACTERS}) AS conclusion,
  left(s.executive_summary, ${MAX_CHARACTERS}) AS summary,
  greatest(0, round(1000 * extract(epoch FROM s.completed_at - s.started_at)))::int AS duration_ms, sums.*,
  EXISTS (SELECT FROM events e WHERE e.session_id = s.session_id AND e.payload ->> 'type' IN ('budget.soft_limit', 'budget.exceeded'))
    AS is_limited,
  CASE WHEN j.status = 'completed' THEN j.total_score END AS score,
  left(coalesce(j.score_analysis, j.error_message), ${MAX_CHARACTERS}) AS judge,
  coalesce(j.failure_tags, '{}') AS tags
FROM alert_sessions s CROSS JOIN sums LEFT JOIN judged j ON true WHERE s.session_id = $1`;
const parseSession = compileParser(
  "session of a cell",
  Type.Object({
    status: literals(TERMINAL_STATUSES),
    error: TextOrNull,
    conclusion: Type.String(),
    summary: TextOrNull,
    duration_ms: Type.Union([Type.Integer(), Type.Null()]),
    llm_calls: Type.Integer(),
    models: Type.Array(AnsweringModel),
    input_tokens: Type.Integer(),
    output_tokens: Type.Integer(),
    cost_usd: Type.Union([Type.Number(), Type.Null()]),
    is_limited: Type.Boolean(),
    score: Type.Union([Type.Integer(), Type.Null()]),
    judge: TextOrNull,
    tags: Type.Array(Type.String()),
  }),
);

const TOOL_CALLS = `
SELECT server_name AS server, coalesce(tool_name, '') AS tool, left(coalesce(tool_arguments, '{}')::text, ${MAX_ARGUMENTS}) AS arguments,
  left(CASE WHEN error_message IS NOT NULL THEN error_message
    WHEN (tool_result ->> 'is_error')::boolean THEN coalesce(nullif(tool_result ->> 'content', ''), 'an error') END, ${MAX_ERROR}) AS error
FROM mcp_interactions WHERE session_id = $1 AND interaction_type = 'tool_call'
ORDER BY created_at, interaction_id LIMIT ${MAX_TOOL_CALLS}`;
const parseToolCall = compileParser(
  "tool call of a cell",
  Type.Object({ server: Type.String(), tool: Type.String(), arguments: Type.String(), error: TextOrNull }),
);

/** What a session that has ended came to, with its newest score; `budgetUsd` is its own budget. Throws TerminalError `malformed` if it has not ended. */
export async function readCellFacts(
  db: Queryable,
  sessionId: string,
  budgetUsd: number | undefined,
): Promise<CellFacts> {
  const [session] = await selectRows(db, parseSession, SESSION, [sessionId]);
  if (session === undefined) throw new Error(`there is no session ${sessionId}`);
  const tool_calls = await selectRows(db, parseToolCall, TOOL_CALLS, [sessionId]);
  const { is_limited: isLimited, ...facts } = session;
  const limited_by_usd = isLimited ? (budgetUsd ?? null) : null;
  return { ...facts, limited_by_usd, duration_ms: session.duration_ms ?? 0, tool_calls };
}
