import pLimit from "p-limit";
import type { EntityManager } from "typeorm";
import { alertPreview } from "#shared/alert-preview.ts";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { FoundSession } from "#shared/database/find-session.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import type { ApiDeps } from "../api-deps.ts";
import { loadCassetteRows, type CassetteRows } from "../cassettes/load-cassette-rows.ts";
import { compareRuns } from "./compare-runs.ts";
import { comparedRun } from "./compared-run.ts";
import { RequestError } from "../http/request-error.ts";
import type { ComparisonResponse } from "./contract.ts";

/** Of the conversations and results of both sessions together: the process has several copies while it compares. */
const MAX_BYTES = 32 * 1024 * 1024;
const inTurn = pLimit(1);
/** As costs are stored. */
const USD_DECIMALS = 12;

const parseBytes = compileParser("size of sessions", Type.Object({ bytes: Type.Number() }));
const BYTES = `
SELECT (coalesce((SELECT sum(octet_length(content) + coalesce(octet_length(tool_calls::text), 0)) FROM messages WHERE session_id = ANY($1::uuid[])), 0)
  + coalesce((SELECT sum(coalesce(octet_length(tool_result::text), 0) + coalesce(octet_length(available_tools::text), 0))
       FROM mcp_interactions WHERE session_id = ANY($1::uuid[])), 0)
  + coalesce((SELECT sum(bytes) FROM tool_results WHERE session_id = ANY($1::uuid[])), 0))::float8 AS bytes`;

/** The steps of two sessions side by side. One comparison at a time. Rejects with RequestError 409 for sessions that are too large. */
export async function compareSessions(
  { config, orm }: Pick<ApiDeps, "config" | "orm">,
  a: FoundSession,
  b: FoundSession,
): Promise<ComparisonResponse> {
  const isCostEstimated = config.agents.system.cost_estimation.enabled;
  return inTurn(async () => {
    const rows = await orm.snapshot(async (manager) => readBoth(manager, a, b));
    const compared = await compareRuns(comparedRun(rows.a), comparedRun(rows.b));
    return { a: sideOf(rows.a, isCostEstimated), b: sideOf(rows.b, isCostEstimated), ...compared };
  });
}

async function readBoth(
  manager: EntityManager,
  a: FoundSession,
  b: FoundSession,
): Promise<{ readonly a: CassetteRows; readonly b: CassetteRows }> {
  const [size] = await selectRows(manager, parseBytes, BYTES, [[a.session_id, b.session_id]]);
  if ((size?.bytes ?? 0) > MAX_BYTES) {
    throw new RequestError(
      409,
      `the sessions are too large to be compared: their rows may have ${MAX_BYTES / 1024 / 1024} MiB together`,
    );
  }
  return {
    a: await loadCassetteRows(manager, a.session_id),
    b: await loadCassetteRows(manager, b.session_id),
  };
}

/** A session's figures, of its investigation alone: what followed it is no part of the comparison. */
function sideOf(rows: CassetteRows, isCostEstimated: boolean): ComparisonResponse["a"] {
  const { session } = rows;
  const { started_at, completed_at } = session;
  const after = new Set(rows.followUps.map(({ stage_id }) => stage_id));
  const isCompared = ({ stage_id }: { readonly stage_id: string }) => !after.has(stage_id);
  const calls = rows.llmCalls.filter(isCompared);
  const priced = calls.flatMap(({ estimated_cost_usd }) => estimated_cost_usd ?? []);
  const total = (column: "input_tokens" | "output_tokens" | "total_tokens") =>
    calls.reduce((sum, call) => sum + (call[column] ?? 0), 0);
  const executions = rows.executions.filter(isCompared);
  const toolCalls = rows.toolCalls.filter(isCompared);
  return {
    session_id: session.session_id,
    alert_preview: alertPreview(session.alert_data),
    created_at: session.created_at.toISOString(),
    status: session.status,
    chain_id: session.chain_id,
    llm_providers: [...new Set(executions.map(({ llm_provider }) => llm_provider))].toSorted(),
    duration_ms:
      started_at === null || completed_at === null ? null : completed_at.getTime() - started_at.getTime(),
    estimated_cost_usd:
      isCostEstimated && priced.length > 0
        ? Number(priced.reduce((sum, usd) => sum + usd, 0).toFixed(USD_DECIMALS))
        : null,
    input_tokens: total("input_tokens"),
    output_tokens: total("output_tokens"),
    total_tokens: total("total_tokens"),
    llm_calls: calls.length,
    tool_calls: toolCalls.filter(({ interaction_type }) => interaction_type === "tool_call").length,
    final_analysis: session.final_analysis,
    executive_summary: session.executive_summary,
  };
}
