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
  /** When it ended, in milliseconds since the Unix epoch; null before. */
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
       extract(epoch FROM s.completed_at)::float8 * 1000 AS ended_at
FROM alert_sessions s JOIN session_runtime r USING (session_id) LEFT JOIN events e USING (session_id)
GROUP BY s.session_id, r.session_id`;

/** Reads all sessions. */
export async function readSessions(servers: BackingServers): Promise<CheckedSession[]> {
  return (await servers.query(SESSIONS, [])).map((row) => parseSession(row));
}
