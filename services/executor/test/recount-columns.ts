import { BUILT_IN_SERVER } from "#shared/contracts/tool-names.ts";
import { CHAIN_STAGE_TYPES } from "#shared/contracts/statuses.ts";
import { type COST_SUMS, costAggregates } from "#shared/database/cost-sums.ts";
import {
  plannedStageRows,
  type SessionCounter,
  type SessionFlag,
} from "#shared/database/session-counters.ts";

/**
 * The counters and flags as the other rows of a session say. `session` is an SQL
 * expression, the session's row in `alert_sessions`.
 */
export const recountColumns = (session: string): Readonly<Record<SessionCounter | SessionFlag, string>> => {
  const has = (sql: string) => `EXISTS (SELECT FROM ${sql})`;
  const count = (sql: string) => `(SELECT count(*)::int FROM ${sql})`;
  const own = `session_id = ${session}.session_id`;
  const ofChain = `g.${own} AND g.stage_type IN (${CHAIN_STAGE_TYPES.map((type) => `'${type}'`).join()})`;
  const completed = count(`stages g WHERE ${ofChain} AND g.status = 'completed'`);
  // A synthesis comes after the agents of its stage; once there is one, the agents' part is complete.
  const syntheses = count(
    `agent_executions e JOIN stages g USING (stage_id) WHERE ${ofChain} AND e.agent_index > g.expected_agent_count AND e.parent_execution_id IS NULL`,
  );
  const costs = costAggregates("i");
  const cost = (name: (typeof COST_SUMS)[number]) =>
    `(SELECT ${costs[name]} FROM llm_interactions i WHERE i.${own})`;
  return {
    cached_input_tokens: cost("cached_input_tokens"),
    estimated_cost_usd: cost("estimated_cost_usd"),
    priced_interaction_count: cost("priced_interaction_count"),
    unpriced_interaction_count: cost("unpriced_interaction_count"),
    unpriced_tokens: cost("unpriced_tokens"),
    llm_interaction_count: count(`llm_interactions i WHERE i.${own}`),
    // The built-in tools are listed without a server.
    mcp_interaction_count: count(
      `mcp_interactions i WHERE i.${own} AND NOT (i.interaction_type = 'tool_list' AND i.server_name = '${BUILT_IN_SERVER}')`,
    ),
    provider_fallback_count: count(`timeline_events t WHERE t.${own} AND t.event_type = 'provider_fallback'`),
    total_stages: `${count(`stages g WHERE ${ofChain}`)} + ${syntheses}`,
    completed_stages: `${completed} + ${syntheses}`,
    failed_stages: count(`stages g WHERE ${ofChain} AND g.status IN ('failed', 'timed_out')`),
    has_parallel_stages: has(`stages g WHERE ${ofChain} AND g.parallel_type IS NOT NULL`),
    has_action_stages: has(`stages g WHERE ${ofChain} AND g.stage_type = 'action'`),
    has_summary_stage: `${completed} >= greatest(1, ${count(plannedStageRows(session))})`,
  };
};
