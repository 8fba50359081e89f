import { randomUUID } from "node:crypto";
import type { Cassette } from "#shared/cassette/cassette.ts";
import type { ResolvedChain } from "#shared/contracts/resolved-chain.ts";
import type { Database } from "#shared/database/database.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { keepTexts } from "#shared/database/keep-texts.ts";
import { keepConfig, storedConfig } from "#shared/database/resolved-configs.ts";
import { recordTools } from "#shared/database/record-tools.ts";
import { textHash } from "#shared/database/text-hash.ts";

/** The nonce of the imported session's prompts, and what was changed of its configuration. */
interface Import {
  readonly cassette: Cassette;
  readonly nonce: string;
  readonly chain: ResolvedChain;
  /** The texts that the chain refers to, by hash. */
  readonly texts: Readonly<Record<string, string>>;
}

const SESSION = `
WITH former AS (
  INSERT INTO alert_sessions (session_id, alert_data, agent_type, chain_id, config_hash, status, final_analysis,
                              completed_at)
  SELECT $13::uuid, '', $3, $6, $7, 'completed', $12, now() WHERE $12::text IS NOT NULL
), session AS (
  INSERT INTO alert_sessions (session_id, alert_data, agent_type, alert_type, mcp_selection, chain_id, config_hash,
                              prompt_nonce, mask_key, lane, session_metadata, tools_mode, runbook_url, reopened_from)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, gen_random_uuid()::text, $9, $10, 'recorded', $11,
          CASE WHEN $12::text IS NOT NULL THEN $13::uuid END)
  RETURNING session_id
)
INSERT INTO session_runtime (session_id) SELECT session_id FROM session`;

const RUNBOOK = "INSERT INTO session_runbooks (session_id, hash, failure) VALUES ($1, $2, $3)";

/** The rows from which the record of tools is made; they are removed again, because the replay writes them itself. */
const ROWS = `
WITH stage AS (
  INSERT INTO stages (stage_id, session_id, stage_name, stage_index, expected_agent_count)
  SELECT stage_id, $1, stage_name, stage_index, expected_agent_count
  FROM json_to_recordset($2::json) AS s (stage_id uuid, stage_name text, stage_index integer, expected_agent_count integer)
), execution AS (
  INSERT INTO agent_executions (execution_id, stage_id, session_id, agent_name, agent_index, iteration_strategy, iteration_state,
                                llm_provider, parent_execution_id)
  SELECT execution_id, stage_id, $1, agent_name, agent_index, iteration_strategy::iteration_strategy, '{}', '', parent_execution_id
  FROM json_to_recordset($3::json) AS e (execution_id uuid, stage_id uuid, agent_name text, agent_index integer,
                                         iteration_strategy text, parent_execution_id uuid)
), kept AS (
  INSERT INTO tool_results (call_id, session_id, bytes, lines, content)
  SELECT call_id, $1, bytes, lines, content
  FROM json_to_recordset($4::json) AS k (call_id text, bytes integer, lines integer, content text)
)
INSERT INTO mcp_interactions (interaction_id, session_id, stage_id, execution_id, interaction_type, server_name, tool_name,
                              tool_arguments, tool_result, available_tools, error_message, outcome, created_at)
SELECT interaction_id, $1, stage_id, execution_id, interaction_type::mcp_interaction_type, server, tool, arguments, result, tools,
       error_message, outcome, now() + ordinal * interval '1 microsecond'
FROM json_to_recordset($5::json) AS i (interaction_id uuid, stage_id uuid, execution_id uuid, interaction_type text, server text,
  tool text, arguments jsonb, result jsonb, tools jsonb, error_message text, outcome jsonb, ordinal integer)`;

const REMOVE = `
WITH calls AS (DELETE FROM mcp_interactions WHERE session_id = $1),
     kept AS (DELETE FROM tool_results WHERE session_id = $1)
SELECT 1`;
const REMOVE_EXECUTIONS = "DELETE FROM agent_executions WHERE session_id = $1";
const REMOVE_STAGES = "DELETE FROM stages WHERE session_id = $1";

/**
 * Inserts the session of a cassette under its own id, pending, with the tools that it has recorded: all ids that follow from it are
 * those of the recording. Throws database errors.
 */
export async function importCassette(db: Database, { cassette, nonce, chain, texts }: Import): Promise<void> {
  const { session, runbook } = cassette;
  const bodies = Object.entries(texts).map(([hash, body]) => ({ hash, body }));
  const text = runbook?.text ?? null;
  const runbookText = text === null ? [] : [{ hash: textHash(text), body: text }];
  await keepTexts(db, [...bodies, ...runbookText]);
  const config = storedConfig(chain);
  await keepConfig(db, config);
  await db.transaction(async (transaction) => {
    await transaction.query(SESSION, [
      session.session_id,
      session.alert_data,
      session.agent_type,
      session.alert_type,
      jsonOrNull(session.mcp_selection),
      chain.chain_id,
      config.hash,
      nonce,
      session.lane,
      jsonOrNull(session.session_metadata),
      session.runbook_url,
      session.former_analysis,
      randomUUID(),
    ]);
    if (runbook !== null) {
      const hash = runbookText[0]?.hash ?? null;
      await transaction.query(RUNBOOK, [session.session_id, hash, runbook.failure]);
    }
    await importTools(transaction, cassette);
  });
}

async function importTools(transaction: Queryable, cassette: Cassette): Promise<void> {
  const { session, stages, executions, kept_results } = cassette;
  const id = session.session_id;
  const rows = executions.flatMap(({ execution_id, stage_id, listings, tool_calls }) => [
    ...listings.map((listing) => ({
      ...listing,
      execution_id,
      stage_id,
      interaction_type: "tool_list",
      seq: listing.seq ?? 0,
    })),
    ...tool_calls.map((call) => ({
      ...call,
      execution_id,
      stage_id,
      interaction_type: "tool_call",
      seq: call.seq ?? 0,
    })),
  ]);
  const ordered = rows.toSorted((a, b) => a.seq - b.seq).map((row, ordinal) => ({ ...row, ordinal }));
  await transaction.query(ROWS, [
    id,
    JSON.stringify(stages),
    JSON.stringify(executions.map(({ messages: _m, llm_calls: _l, tool_calls: _t, ...row }) => row)),
    JSON.stringify(kept_results),
    JSON.stringify(ordered),
  ]);
  await recordTools(transaction, { source: id, target: id, executions: {} });
  await transaction.query(REMOVE, [id]);
  await transaction.query(REMOVE_EXECUTIONS, [id]);
  await transaction.query(REMOVE_STAGES, [id]);
}

function jsonOrNull(value: unknown): string | null {
  return value === null || value === undefined ? null : JSON.stringify(value);
}
