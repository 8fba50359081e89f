import { Type, type Static } from "typebox";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { BackingServers } from "../../support/backing-servers.ts";

const CheckedSession = Type.Object({
  session_id: Type.String(),
  case_id: Type.Union([Type.String(), Type.Null()]),
  status: Type.String(),
  epoch: Type.Integer(),
  last_seq: Type.Integer(),
  seqs: Type.Array(Type.Integer()),
  event_ids: Type.Array(Type.Integer()),
  endings: Type.Integer(),
  last_type: Type.Union([Type.String(), Type.Null()]),
  /** Pieces of work that were asked for after its end, and those that have not ended. */
  follow_ups: Type.Integer(),
  open_follow_ups: Type.Integer(),
  /** When it and the work after its end had ended, in milliseconds since the Unix epoch; null before. */
  ended_at: Type.Union([Type.Number(), Type.Null()]),
});
const parseSession = compileParser("checked session", CheckedSession);

/** A session and its events as stored in Postgres. */
export type CheckedSession = Static<typeof CheckedSession>;

const SESSIONS = `
SELECT s.session_id, substring(s.alert_data from 'case-[[:alnum:]_-]+') AS case_id, s.status::text,
       r.lease_epoch AS epoch, r.last_seq,
       coalesce(json_agg(e.seq ORDER BY e.id) FILTER (WHERE e.id IS NOT NULL), '[]') AS seqs,
       coalesce(json_agg(e.id ORDER BY e.id) FILTER (WHERE e.id IS NOT NULL), '[]') AS event_ids,
       count(*) FILTER (WHERE e.payload->>'type' = 'session.completed')::int AS endings,
       (array_agg(e.payload->>'type' ORDER BY e.seq DESC))[1] AS last_type,
       f.follow_ups, f.open_follow_ups,
       CASE WHEN f.open_follow_ups = 0 THEN extract(epoch FROM greatest(s.completed_at, f.ended_at))::float8 * 1000 END AS ended_at
FROM alert_sessions s JOIN session_runtime r USING (session_id) LEFT JOIN events e USING (session_id),
  LATERAL (SELECT count(*)::int AS follow_ups, count(*) FILTER (WHERE completed_at IS NULL)::int AS open_follow_ups,
                  max(completed_at) AS ended_at FROM follow_ups o WHERE o.session_id = s.session_id) f
GROUP BY s.session_id, r.session_id, f.follow_ups, f.open_follow_ups, f.ended_at`;

/** Reads all sessions. */
export async function readSessions(servers: BackingServers): Promise<CheckedSession[]> {
  return (await servers.query(SESSIONS, [])).map((row) => parseSession(row));
}
