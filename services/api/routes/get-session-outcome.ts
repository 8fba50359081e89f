import type { RouterContext, RouterMiddleware } from "@koa/router";
import type { Static, TObject } from "typebox";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser, type ValueParser } from "#shared/contracts/compile-parser.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import type { ApiDeps } from "../api-deps.ts";
import { costMembers } from "../cost/cost-members.ts";
import { notFound } from "../http/request-error.ts";
import { visibleSession } from "../http/visible-session.ts";
import { SessionStatusResponse, SessionSummaryResponse } from "../schemas/sessions.ts";
import {
  COST_COLUMNS,
  CostColumns,
  DURATION_COLUMN,
  STAGE_COUNT_COLUMNS,
  TOKEN_COLUMNS,
  selectList,
} from "../sessions/session-item-columns.ts";

const FROM = `
FROM alert_sessions s JOIN session_runtime r USING (session_id) WHERE s.session_id = $1 AND s.deleted_at IS NULL`;

const parseStatus = compileParser("session status", SessionStatusResponse);
const STATUS = `
SELECT s.session_id AS id, s.status, s.final_analysis, s.executive_summary, s.error_message ${FROM}`;

const { cost_estimation_enabled: _enabled, ...summaryMembers } = SessionSummaryResponse.properties;
const parseSummary = compileParser(
  "session summary",
  Type.Object({ ...summaryMembers, ...CostColumns.properties }),
);
const SUMMARY = `
SELECT s.session_id, s.status, r.llm_interaction_count + r.mcp_interaction_count AS total_interactions,
  r.llm_interaction_count, r.mcp_interaction_count, r.chat_message_count, r.provider_fallback_count,
  ${selectList({ ...TOKEN_COLUMNS, ...STAGE_COUNT_COLUMNS, duration_ms: DURATION_COLUMN, ...COST_COLUMNS })} ${FROM}`;

/** `GET /api/v1/sessions/:id/status`: the status and what the session found, for scripts that poll. */
export function getSessionStatus({ orm: { manager } }: Pick<ApiDeps, "orm">): RouterMiddleware {
  return async (ctx) => {
    ctx.body = await readOne(manager, ctx, parseStatus, STATUS);
  };
}

/** `GET /api/v1/sessions/:id/summary`: the session's figures. */
export function getSessionSummary({
  orm: { manager },
  config,
}: Pick<ApiDeps, "orm" | "config">): RouterMiddleware {
  const { enabled } = config.agents.system.cost_estimation;
  return async (ctx) => {
    const { estimated_cost_usd, priced_interaction_count, unpriced_interaction_count, ...figures } =
      await readOne(manager, ctx, parseSummary, SUMMARY);
    const sums = { estimated_cost_usd, priced_interaction_count, unpriced_interaction_count };
    ctx.body = { ...figures, cost_estimation_enabled: enabled, ...costMembers(sums, enabled) };
  };
}

async function readOne<S extends TObject>(
  db: Queryable,
  ctx: RouterContext,
  parse: ValueParser<S>,
  sql: string,
): Promise<Static<S>> {
  const { session_id } = await visibleSession(db, ctx);
  const [row] = await selectRows(db, parse, sql, [session_id]);
  // It was deleted between the two statements.
  if (row === undefined) throw notFound();
  return row;
}
