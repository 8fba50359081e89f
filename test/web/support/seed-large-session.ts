import type { BackingServers } from "../../support/backing-servers.ts";
import type { TarsyClient } from "../../support/tarsy-client.ts";

interface LargeSession {
  readonly id: string;
  /** The number of the entries that a page shows of it, besides those that its agents made. */
  readonly added: number;
}

/**
 * Runs a session and then adds entries to it that its agents did not make, `perLane` to each of its agents, before its last
 * event: what a session looks like whose agents worked for hours.
 */
export async function seedLargeSession(
  servers: BackingServers,
  client: TarsyClient,
  perLane: number,
): Promise<LargeSession> {
  const id = await client.submit("large session");
  await client.waitFor(id, ["completed", "failed"]);
  await servers.query(
    `WITH last AS (
       DELETE FROM events WHERE session_id = $1 AND payload ->> 'type' = 'session.completed' RETURNING seq, payload
     ), lanes AS (
       SELECT execution_id, stage_id, row_number() OVER (ORDER BY execution_id) AS lane FROM agent_executions
       WHERE session_id = $1 AND agent_index <= 2
     ), rows AS (
       SELECT row_number() OVER (ORDER BY n, lane) AS number, n, execution_id, stage_id
       FROM lanes, generate_series(1, $2::int) AS n
     ), added AS (
       INSERT INTO events (session_id, seq, payload)
       SELECT $1, last.seq + number - 1, jsonb_build_object(
         'type', 'timeline_event.created', 'event_id', gen_random_uuid(), 'session_id', $1::text, 'stage_id', stage_id,
         'execution_id', execution_id, 'event_type', 'llm_thinking', 'status', 'completed', 'metadata', NULL,
         'content', 'Thought ' || n || ': ' || repeat('the pods of the shop restart again ', 1 + (n % 20)::int),
         'sequence_number', 1000 + n, 'timestamp', last.payload ->> 'timestamp')
       FROM rows, last RETURNING 1
     )
     INSERT INTO events (session_id, seq, payload)
     SELECT $1, last.seq + (SELECT count(*) FROM rows), last.payload FROM last`,
    [id, perLane],
  );
  await servers.query(
    "UPDATE session_runtime SET last_seq = (SELECT max(seq) FROM events WHERE session_id = $1) WHERE session_id = $1",
    [id],
  );
  const rows = await servers.query(
    "SELECT 1 FROM events WHERE session_id = $1 AND (payload ->> 'sequence_number')::int > 1000",
    [id],
  );
  return { id, added: rows.length };
}
