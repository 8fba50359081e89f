import type { Static, TObject } from "typebox";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser, type ValueParser } from "#shared/contracts/compile-parser.ts";
import { Score, ScoreStatus } from "#shared/contracts/scoring.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { costMembers } from "../views/cost.ts";
import { Nullable } from "../http/common-schemas.ts";
import { notFound } from "../http/request-error.ts";
import { SessionStatusResponse, SessionSummaryResponse } from "./list-schemas.ts";
import { LATEST_SCORE, SCORING_STATUS } from "./score-columns.ts";
import {
  COST_COLUMNS,
  CostColumns,
  DURATION_COLUMN,
  STAGE_COUNT_COLUMNS,
  TOKEN_COLUMNS,
  UNFINISHED_COLUMNS,
  selectList,
} from "./session-item-columns.ts";
import { withoutNulls } from "../http/without-nulls.ts";

const FROM = `
FROM alert_sessions s JOIN session_runtime r USING (session_id) WHERE s.session_id = $1 AND s.deleted_at IS NULL`;

const parseStatus = compileParser("session status", SessionStatusResponse);
const STATUS = `
SELECT s.session_id AS id, s.status, s.final_analysis, s.executive_summary, s.error_message ${FROM}`;

const { cost_estimation_enabled: _enabled, chain_statistics, ...others } = SessionSummaryResponse.properties;
const parseSummary = compileParser(
  "session summary",
  Type.Object({
    ...others,
    ...chain_statistics.properties,
    ...CostColumns.properties,
    total_score: Nullable(Score),
    scoring_status: Nullable(ScoreStatus),
  }),
);
const FIGURES = {
  session_id: "s.session_id",
  status: "s.status",
  total_interactions: "r.llm_interaction_count + r.mcp_interaction_count",
  llm_interactions: "r.llm_interaction_count",
  mcp_interactions: "r.mcp_interaction_count",
  chat_message_count: "r.chat_message_count",
  provider_fallback_count: "r.provider_fallback_count",
  total_duration_ms: DURATION_COLUMN,
  current_stage_index: UNFINISHED_COLUMNS.current_stage_index,
  total_score: LATEST_SCORE,
  scoring_status: SCORING_STATUS,
  ...TOKEN_COLUMNS,
  ...STAGE_COUNT_COLUMNS,
  ...COST_COLUMNS,
};
const SUMMARY = `SELECT ${selectList(FIGURES)} ${FROM}`;

/** The status of a session and what it found. Throws RequestError 404 if it was deleted meanwhile. */
export async function readStatus(db: Queryable, sessionId: string) {
  return readOne(db, sessionId, parseStatus, STATUS);
}

/** The figures of a session. Throws RequestError 404 if it was deleted meanwhile. */
export async function readSummary(db: Queryable, sessionId: string, isCostEstimated: boolean) {
  const { total_stages, completed_stages, failed_stages, current_stage_index, ...figures } = await readOne(
    db,
    sessionId,
    parseSummary,
    SUMMARY,
  );
  const { estimated_cost_usd, priced_interaction_count, unpriced_interaction_count, ...rest } = figures;
  const { total_score, scoring_status, ...members } = rest;
  const sums = { estimated_cost_usd, priced_interaction_count, unpriced_interaction_count };
  return {
    ...members,
    ...withoutNulls({ total_score, scoring_status }),
    cost_estimation_enabled: isCostEstimated,
    ...costMembers(sums, isCostEstimated),
    chain_statistics: { total_stages, completed_stages, failed_stages, current_stage_index },
  };
}

async function readOne<S extends TObject>(
  db: Queryable,
  sessionId: string,
  parse: ValueParser<S>,
  sql: string,
): Promise<Static<S>> {
  const [row] = await selectRows(db, parse, sql, [sessionId]);
  // It was deleted between the two statements.
  if (row === undefined) throw notFound();
  return row;
}
