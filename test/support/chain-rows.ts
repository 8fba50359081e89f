/**
 * Selects the results of session $1 that a kill must not change. Leaves out what depends on which agent was faster, the code in
 * the session's frames, the present time in first messages, and the events about the kill itself.
 */
export const CHAIN_ROWS = `
SELECT
  (SELECT json_agg(concat_ws(' ', stage_index, stage_name, status, expected_agent_count, error_message) ORDER BY stage_index)
   FROM stages WHERE session_id = $1) AS stages,
  (SELECT json_agg(concat_ws(' ', stage_index, agent_index, agent_name, e.status, e.iteration_state ->> 'iteration',
                             e.input_tokens > 0, e.error_message) ORDER BY stage_index, agent_index)
   FROM agent_executions e JOIN stages USING (stage_id) WHERE e.session_id = $1) AS executions,
  (SELECT json_agg(concat_ws(' ', stage_index, agent_index, sequence_number, event_type, t.status, content)
                   ORDER BY stage_index, agent_index, sequence_number)
   FROM timeline_events t JOIN agent_executions e USING (execution_id) JOIN stages s ON s.stage_id = e.stage_id
   WHERE t.session_id = $1) AS timeline,
  (SELECT json_agg(concat_ws(' ', stage_index, agent_index, sequence_number, role, regexp_replace(replace(content, frames.code, 'code'),
                       E'\\nCurrent time: [^\\n]*\\nCalendar context [^\\n]*\\nStaffing: [^\\n]*(\\nAlert time: [^\\n]*)?', ''))
                   ORDER BY stage_index, agent_index, sequence_number)
   FROM messages m JOIN agent_executions e USING (execution_id) JOIN stages s ON s.stage_id = e.stage_id
   WHERE m.session_id = $1) AS messages,
  (SELECT json_agg(concat_ws(' ', stage_index, agent_index, interaction_type) ORDER BY stage_index, agent_index, interaction_type)
   FROM llm_interactions i JOIN agent_executions e USING (execution_id) JOIN stages s ON s.stage_id = e.stage_id
   WHERE i.session_id = $1) AS calls,
  (SELECT json_agg(line ORDER BY line) FROM (
     SELECT concat_ws(' ', payload ->> 'type', payload ->> 'stage_index', payload ->> 'agent_name', payload ->> 'event_type',
                      payload ->> 'status', payload ->> 'content') AS line
     FROM events WHERE session_id = $1 AND payload ->> 'type' NOT IN ('session.taken_over', 'session.parked', 'session.resumed')) e) AS events,
  (SELECT count(*) = max(seq) AND min(seq) = 1 FROM events WHERE session_id = $1) AS contiguous,
  (SELECT json_agg(DISTINCT concat_ws(' ', stage_index, agent_index, tool_name)) FROM mcp_interactions i
   JOIN agent_executions e USING (execution_id) JOIN stages s ON s.stage_id = e.stage_id WHERE i.session_id = $1) AS tools,
  (SELECT count(*)::int FROM mcp_interactions WHERE session_id = $1) AS tool_records,
  (SELECT bool_and(stage >= before AND active >= 0) FROM (
     SELECT (payload ->> 'current_stage_index')::int AS stage, (payload ->> 'active_executions')::int AS active,
            lag((payload ->> 'current_stage_index')::int, 1, 0) OVER (ORDER BY seq) AS before
     FROM events WHERE session_id = $1 AND payload ->> 'type' = 'session.progress') p) AS goes_forward,
  (SELECT count(*)::int FROM tool_calls WHERE session_id = $1 AND state <> 'abandoned') AS tool_calls,
  final_analysis, executive_summary, status
FROM alert_sessions, LATERAL (SELECT left(replace(prompt_nonce, '-', ''), 12) AS code) AS frames WHERE session_id = $1`;
