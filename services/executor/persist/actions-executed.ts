/**
 * Whether the agents of a stage have changed something, by the records of their calls: true if a tool that does not only read
 * has succeeded; else null if it is not known of such a call whether it took effect; else false. A
 * call that is still running when its stage ends may yet take effect.
 */
export const ACTIONS_EXECUTED = `(
      SELECT CASE WHEN bool_or(c.state = 'completed' AND c.is_error IS NOT TRUE) THEN true
                  WHEN bool_or(c.state = 'running' OR c.failure IN ('outcome_unknown', 'timeout', 'cancelled')) THEN NULL
                  ELSE false END
      FROM tool_calls c JOIN agent_executions e USING (execution_id)
      WHERE e.stage_id = stages.stage_id AND coalesce(c.effect <> 'read', NOT c.read_only))`;
