/** The numbers of a session's stages in every place that has them, each as one text; parameter: its id. */
export const NUMBERS = `
SELECT (SELECT string_agg(stage_index::text, ' ' ORDER BY stage_index) FROM stages WHERE session_id = $1) AS stages,
  (SELECT current_stage_index FROM alert_sessions WHERE session_id = $1) AS current,
  (SELECT string_agg(DISTINCT payload->>'stage_index', ' ') FROM events WHERE session_id = $1) AS events,
  (SELECT string_agg(DISTINCT payload->>'current_stage_index', ' ') FROM events WHERE session_id = $1) AS progress`;
