/**
 * The parts of a step's statement that write the follow-ups of a session and their scores, as `PARTS` in step-statement.ts. A
 * score is open until its follow-up ends.
 */
export const FOLLOW_UP_PARTS = {
  followUps: (rows: string) => `
  INSERT INTO follow_ups (follow_up_id, session_id, kind, stage_id, resolved_config, config_hash, asked_by)
  SELECT r.follow_up_id, fence.session_id, r.kind, r.stage_id, r.resolved_config, r.config_hash, r.asked_by
  FROM fence, json_to_recordset(${rows}::json) AS r(follow_up_id uuid, kind text, stage_id uuid, resolved_config jsonb,
       config_hash text, asked_by text)`,
  scores: (rows: string) => `
  INSERT INTO session_scores (score_id, session_id, stage_id, follow_up_id, score_triggered_by)
  SELECT r.score_id, fence.session_id, r.stage_id, r.follow_up_id, r.score_triggered_by
  FROM fence, json_to_recordset(${rows}::json) AS r(score_id uuid, stage_id uuid, follow_up_id uuid, score_triggered_by text)`,
  scoreChanges: (rows: string) => `
  UPDATE session_scores s SET
    status = coalesce(r.status, CASE WHEN r.starts THEN 'in_progress' ELSE s.status END),
    started_at = CASE WHEN r.starts THEN coalesce(s.started_at, now()) ELSE s.started_at END,
    completed_at = CASE WHEN r.ends THEN now() ELSE s.completed_at END,
    prompt_hash = coalesce(r.prompt_hash, s.prompt_hash), total_score = coalesce(r.total_score, s.total_score),
    score_analysis = coalesce(r.score_analysis, s.score_analysis),
    tool_improvement_report = coalesce(r.tool_improvement_report, s.tool_improvement_report),
    failure_tags = coalesce(r.failure_tags, s.failure_tags), error_message = r.error_message
  FROM fence, json_to_recordset(${rows}::json) AS r(score_id uuid, starts boolean, ends boolean, prompt_hash text, status text,
       total_score int, score_analysis text, tool_improvement_report text, failure_tags text[], error_message text)
  WHERE s.score_id = r.score_id`,
} as const;
