import { Type } from "typebox";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { ExecutorFixture } from "./executor-fixture.ts";

/** Columns that say who wrote a row and when, which a kill may change. */
const OF_THE_OWNER = [
  "seq",
  "first_seq",
  "started_seq",
  "ended_seq",
  "last_seq",
  "id",
  "lease_owner",
  "lease_epoch",
  "lease_expires_at",
  "place_id",
  "epoch",
  "attempts",
  "interruptions",
  "pod_id",
  "duration_ms",
  "inbox_seq",
] as const;

/** Tables whose rows a kill may change, and why. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  row_history: "what each commit overwrote, the text of a stopped answer too",
  budget_accounts: "a lost call counts in full",
  budget_reservations: "what the api's sweeper settles",
  budget_ledger: "what the api's sweeper folds",
  disturbed_writes: "of the test",
  write_points: "of the test",
};

const FIRST_STATUS = `seq > (SELECT min(seq) FROM events f WHERE f.session_id = t.session_id AND f.payload ->> 'type' = 'session.status')`;

/** Rows that a kill adds, or takes away: a session that is killed while it is asked for an approval waits another number of times. */
const ADDED: Readonly<Record<string, string>> = {
  events: `payload ->> 'type' IN ('session.taken_over', 'session.parked', 'session.resumed')
    OR payload ->> 'status_text' LIKE '%: waiting, %'
    OR payload ->> 'type' = 'session.status' AND payload ->> 'status' = 'in_progress' AND ${FIRST_STATUS}`,
  tool_calls: "state = 'abandoned'",
};

/** The events of each agent, and those of no agent, in their order; what agents that run at the same time do in turn depends on the machine. */
const ORDER = `
SELECT 'order of events' AS name, concat(agent, ': ',
  string_agg(concat_ws(' ', payload ->> 'type', payload ->> 'event_type', payload ->> 'status'), ', ' ORDER BY seq)) AS row
FROM events t LEFT JOIN LATERAL (
  SELECT coalesce(payload ->> 'execution_id',
    -- The end of an entry of the timeline names the entry alone.
    (SELECT e.execution_id::text FROM timeline_events e WHERE e.event_id::text = payload ->> 'event_id')) AS agent) AS of_agent ON true
WHERE session_id = $1 AND payload ->> 'type' <> 'session.progress' AND NOT coalesce(${ADDED["events"]}, false)
GROUP BY agent`;

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gu;
/** What the scripted provider calls a call. */
const CALL = /call-[0-9a-f]{16}/gu;
const TIME = /\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[.\d]*(?:Z|[+-]\d\d(?::\d\d)?)?/gu;
/** What the soft limit of a budget found reserved, a lost call included. */
const RESERVED = /"reserved": ?\d+/gu;
/** How many agents of a stage run while one of them takes a step depends on the machine. */
const RUNNING = /(?:no agent|\d+ agents?) running|"active_executions": ?\d+/gu;
const MILLISECONDS = /"(?<name>\w+_ms)": ?\d+(?:\.\d+)?/gu;

const parseTables = compileParser("tables", Type.Array(Type.Object({ name: Type.String() })));
const parseNames = compileParser(
  "names",
  Type.Array(Type.Object({ id: Type.String(), name: Type.String() })),
);
const parseRows = compileParser("rows", Type.Array(Type.Object({ name: Type.String(), row: Type.String() })));

/** Stages and agents have their places in the chain as names; all other ids are equal. */
const NAMES = `
SELECT stage_id AS id, 'stage ' || stage_index AS name FROM stages WHERE session_id = $1
UNION ALL SELECT execution_id, 'agent ' || stage_index || '.' || agent_index
  FROM agent_executions JOIN stages USING (stage_id) WHERE agent_executions.session_id = $1`;

/**
 * All rows of a session in every table that has some, by table, and the order of its events, in one order for all sessions, without what depends on the process that wrote
 * them: ids, times, epochs and numbers of events. Two sessions that did the same have the same rows.
 */
export async function sessionRows(
  executor: ExecutorFixture,
  id: string,
): Promise<Record<string, readonly string[]>> {
  const tables = parseTables(
    await executor.query(
      `SELECT table_name AS name FROM information_schema.columns JOIN information_schema.tables USING (table_schema, table_name)
       WHERE column_name = 'session_id' AND table_schema = 'public' AND table_type = 'BASE TABLE' ORDER BY 1`,
      [],
    ),
  ).filter(({ name }) => !(name in LEFT_OUT));
  const names = new Map(parseNames(await executor.query(NAMES, [id])).map((found) => [found.id, found.name]));
  const selects = tables.map(
    ({ name }) =>
      `SELECT '${name}' AS name, (to_jsonb(t) - '{${OF_THE_OWNER.join(",")}}'::text[])::text AS row FROM ${name} t
       WHERE session_id = $1 AND NOT coalesce(${ADDED[name] ?? "false"}, false)`,
  );
  const rows = parseRows(await executor.query([...selects, ORDER].join("\nUNION ALL "), [id]));
  const byTable = Map.groupBy(rows, ({ name }) => name);
  return Object.fromEntries(
    [...byTable].map(([name, found]) => [name, found.map(({ row }) => withoutIds(row, names)).toSorted()]),
  );
}

function withoutIds(row: string, names: ReadonlyMap<string, string>): string {
  return row
    .replaceAll(UUID, (uuid) => names.get(uuid) ?? "ID")
    .replaceAll(CALL, "CALL")
    .replaceAll(TIME, "TIME")
    .replaceAll(RUNNING, "N running")
    .replaceAll(RESERVED, '"reserved": N')
    .replaceAll(MILLISECONDS, '"$<name>": MS');
}

/** The rows that only one of two sessions has, each with its table and a sign: `-` for the first one's. */
export function differences(
  one: Readonly<Record<string, readonly string[]>>,
  other: Readonly<Record<string, readonly string[]>>,
): readonly string[] {
  const lines = ([table, rows]: [string, readonly string[]]) => rows.map((row) => `${table} ${row}`);
  const [before, after] = [Object.entries(one).flatMap(lines), Object.entries(other).flatMap(lines)];
  return [
    ...without(before, after).map((row) => `- ${row}`),
    ...without(after, before).map((row) => `+ ${row}`),
  ];
}

function without(rows: readonly string[], others: readonly string[]): readonly string[] {
  const left = [...others];
  return rows.filter((row) => {
    const position = left.indexOf(row);
    if (position !== -1) left.splice(position, 1);
    return position === -1;
  });
}

/** The sentences that are not true of a session's events: their numbers have no gap, the session ends at most once. */
export async function brokenEvents(executor: ExecutorFixture, id: string): Promise<unknown[]> {
  return executor.query(
    `SELECT 'number ' || seq AS broken FROM (SELECT seq, row_number() OVER (ORDER BY seq) AS n FROM events WHERE session_id = $1) e WHERE seq <> n
     UNION ALL SELECT 'ends twice' FROM events WHERE session_id = $1 AND payload ->> 'type' = 'session.completed' HAVING count(*) > 1`,
    [id],
  );
}
