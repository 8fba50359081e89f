/**
 * The part of a step's statement that tells of its outcome: a row of the outbox for each destination which the session's plan names
 * for the kind. The same news is told once: `news` is its identity, without a full stop.
 */
export const NOTIFICATION_PARTS = {
  notifications: (rows: string) => `
  INSERT INTO outbox (session_id, kind, destination, dedup_key, payload)
  SELECT s.session_id, r.kind, d.key, r.news || ':' || d.key, r.payload
  FROM fence JOIN alert_sessions s USING (session_id), jsonb_each(s.notify) AS d,
       json_to_recordset(${rows}::json) AS r(kind text, news text, payload jsonb)
  WHERE d.value ? r.kind
  ON CONFLICT DO NOTHING`,
} as const;
