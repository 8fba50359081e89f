/**
 * The parts of a step's statement that write memories and who was told of them, as `PARTS` in step-statement.ts. A new memory belongs to
 * the owner and the teams of its source, and has the rating of its review, which is read under the lock that a review takes. A memory that was deleted or deprecated meanwhile is not changed.
 */
export const MEMORY_PARTS = {
  sessionMemories: (rows: string) => `
  INSERT INTO session_memories (memory_id, execution_id, session_id, position)
  SELECT r.memory_id, r.execution_id, fence.session_id, r.position
  FROM fence, json_to_recordset(${rows}::json) AS r(memory_id uuid, execution_id uuid, position int)`,
  newMemories: (rows: string) => `
  INSERT INTO investigation_memories (memory_id, content, category, valence, base_confidence, origin, rating, source_session_id,
                                      owner_subject, teams, alert_type, chain_id)
  SELECT r.memory_id, r.content, r.category, r.valence, r.base_confidence, r.origin,
         CASE WHEN r.origin = 'investigation' THEN locked.quality_rating END, s.session_id,
         s.owner_subject, s.teams, s.alert_type, s.chain_id
  FROM fence JOIN locked USING (session_id) JOIN alert_sessions s USING (session_id), json_to_recordset(${rows}::json) AS r(memory_id uuid, content text,
       category text, valence text, base_confidence real, origin text)
  ON CONFLICT (memory_id) DO NOTHING`,
  memoryChanges: (rows: string) => `
  UPDATE investigation_memories m SET
    base_confidence = CASE WHEN r.change = 'reinforce' THEN least(1, m.base_confidence * 1.1) ELSE m.base_confidence END,
    seen_count = m.seen_count + CASE WHEN r.change = 'reinforce' THEN 1 ELSE 0 END,
    last_seen_at = now(), updated_at = now(),
    deprecation = CASE WHEN r.change = 'deprecate' THEN true ELSE m.deprecation END
  FROM fence, json_to_recordset(${rows}::json) AS r(memory_id uuid, change text)
  WHERE m.memory_id = r.memory_id AND NOT m.deprecated`,
} as const;
