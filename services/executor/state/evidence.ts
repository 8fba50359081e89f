import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { CHAIN_STAGE_TYPES } from "#shared/contracts/statuses.ts";

/** The newest alerts that an agent reads at a time. */
export const MAX_SHOWN_ALERTS = 20;
/** Characters of each that are read. */
export const MAX_ALERT_CHARACTERS = 8_000;

/** An alert of the same incident that arrived after the session's own. */
const LaterAlert = Type.Object({
  /** Among the alerts of the session, whose own is the first. */
  ordinal: Type.Integer(),
  /** ISO 8601. */
  received_at: Type.String(),
  is_resolved: Type.Boolean(),
  /** Its text as it is stored, or the beginning; null where there was no room for it. */
  data: Type.Union([Type.String(), Type.Null()]),
  /** The characters that are not read. */
  left_out: Type.Integer(),
});

/** The alerts of the incident that an agent has not read. */
export const Evidence = Type.Object({
  /** How many. */
  count: Type.Integer(),
  /** The ordinal of the newest. */
  through: Type.Integer(),
  /** The newest of them, newest first. */
  newest: Type.Array(LaterAlert),
  /** The characters that it has read of others. */
  characters_read: Type.Integer(),
  /** The sequence number of the last message that has such alerts; 0 before the first. */
  last_message: Type.Integer(),
});
export type Evidence = Static<typeof Evidence>;

const CHAIN_STAGES = CHAIN_STAGE_TYPES.map((type) => `'${type}'`).join(", ");

/**
 * The alerts of the incident that the execution $1 has not read, as JSON; null if there is none but the session's own,
 * and for sub-agents and work after the session's end. `e` is its row. The result of an agent of an earlier stage, or
 * for a synthesis of its own stage, contains what that agent has read. Ordinals have no gap, so they count.
 */
export const UNREAD_EVIDENCE = `
  (SELECT json_build_object('count', top.ordinal - base.ordinal, 'through', top.ordinal, 'characters_read', own.characters_read, 'last_message', own.last_message,
     'newest', (SELECT coalesce(json_agg(n ORDER BY n.ordinal DESC), '[]') FROM (
        SELECT a.ordinal, to_char(a.received_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS received_at, a.is_resolved,
               left(a.data, ${MAX_ALERT_CHARACTERS}) AS data, greatest(length(a.data) - ${MAX_ALERT_CHARACTERS}, 0) AS left_out
        FROM group_alerts a WHERE a.session_id = e.session_id AND a.ordinal > greatest(base.ordinal, top.ordinal - ${MAX_SHOWN_ALERTS})) n))
   FROM stages s
   CROSS JOIN LATERAL (SELECT max(a.ordinal) AS ordinal FROM group_alerts a WHERE a.session_id = e.session_id) top
   CROSS JOIN LATERAL (
     SELECT coalesce(max(d.through), 1) AS through, coalesce(sum(d.characters), 0)::int AS characters_read,
            coalesce(max(d.sequence_number), 0) AS last_message
     FROM evidence_deliveries d WHERE d.execution_id = e.execution_id) own
   CROSS JOIN LATERAL (
     SELECT greatest(own.through, max(d.through)) AS ordinal
     FROM evidence_deliveries d JOIN agent_executions o USING (execution_id) JOIN stages f ON f.stage_id = o.stage_id
     WHERE d.session_id = e.session_id AND (f.stage_index < s.stage_index
       OR f.stage_index = s.stage_index AND o.agent_index <= s.expected_agent_count AND e.agent_index > s.expected_agent_count)) base
   WHERE s.stage_id = e.stage_id AND s.stage_type IN (${CHAIN_STAGES}) AND e.parent_execution_id IS NULL AND top.ordinal > 1)`;
