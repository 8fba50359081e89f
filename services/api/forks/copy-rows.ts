import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { isoText } from "#shared/database/iso-text.ts";
import { modelUsageAggregates } from "#shared/database/cost-sums.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import type { ForkIds } from "./fork-ids.ts";
import type { ForkPoint } from "./fork-point.ts";

/** A step's rows are at most some hundred KiB each. */
const PAGE = 100;

const parseText = compileParser("copied row", Type.Object({ key: Type.String(), row: Type.String() }));
const parseCount = compileParser("copied rows", Type.Object({ n: Type.Integer() }));

/** What is copied. */
interface Copy {
  readonly transaction: Queryable;
  readonly point: ForkPoint;
  readonly parent: string;
  readonly fork: string;
  readonly ids: ForkIds;
  /** The columns of the provider from now on in executions that have not ended; null if they keep theirs. */
  readonly provider: object | null;
}

interface Source {
  readonly table: string;
  /** Selects rows `x` of the parent, $1, with all columns of the table; in SQL. */
  readonly from: string;
  /** A text that is different for each row. */
  readonly key: string;
  /** The row as JSON; in SQL. By default all of it. */
  readonly row?: string;
}

/** The tables, in the order of their foreign keys. */
function sourcesOf({ point: { past }, provider }: Copy): readonly Source[] {
  const ofSession = (table: string, condition = ""): string =>
    `${past}.${table} x WHERE x.session_id = $1${condition}`;
  const isOpen = "x.status IN ('pending', 'active')";
  // Ids of the parent's own chat and scores are none of the investigation's.
  return [
    {
      table: "stages",
      from: ofSession("stages"),
      key: "x.stage_id::text",
      row: `to_jsonb(x) || ${startedAt(`${isOpen} AND ${hasOpenAgents(past)}`)}`,
    },
    {
      table: "agent_executions",
      from: ofSession("agent_executions"),
      // A parent goes before the agents that it has started.
      key: "(x.parent_execution_id IS NOT NULL)::text || x.execution_id::text",
      row: `to_jsonb(x) || ${startedAt(isOpen)} || jsonb_build_object('iteration_state', ${iterationState(provider !== null)})
        || CASE WHEN ${isOpen} THEN ${provider === null ? "'{}'::jsonb" : PROVIDER_COLUMNS} ELSE '{}'::jsonb END`,
    },
    {
      table: "messages",
      from: ofSession("messages"),
      key: "x.message_id::text",
      // What a provider has said about its own answers is not for another one.
      ...(provider === null
        ? {}
        : {
            row: `to_jsonb(x) || CASE WHEN EXISTS (SELECT FROM ${past}.agent_executions e
              WHERE e.execution_id = x.execution_id AND e.status IN ('pending', 'active'))
              THEN jsonb_build_object('provider_state', NULL) ELSE '{}'::jsonb END`,
          }),
    },
    { table: "llm_interactions", from: ofSession("llm_interactions"), key: "x.interaction_id::text" },
    { table: "mcp_interactions", from: ofSession("mcp_interactions"), key: "x.interaction_id::text" },
    { table: "timeline_events", from: ofSession("timeline_events"), key: "x.event_id::text" },
    { table: "conclusions", from: ofSession("conclusions"), key: "x.execution_id::text || x.attempt::text" },
    // One without a decision is asked for again.
    {
      table: "approvals",
      from: ofSession("approvals", " AND x.state <> 'awaiting_approval'"),
      key: "x.approval_id::text",
    },
    { table: "steering_messages", from: ofSession("steering_messages"), key: "x.message_id::text" },
    {
      table: "steering_deliveries",
      from: ofSession("steering_deliveries"),
      key: "x.message_id::text || x.execution_id::text",
    },
    {
      table: "session_memories",
      from: ofSession("session_memories"),
      key: "x.execution_id::text || x.memory_id::text",
    },
  ];
}

const moved = (text: string): string => isoText(`((${text})::timestamptz + $3::interval)`);

/** Of what has not ended, the time in which the parent went on does not count. */
const startedAt = (isOpen: string): string =>
  `jsonb_build_object('started_at', CASE WHEN ${isOpen} THEN x.started_at + $3::interval ELSE x.started_at END)`;

/** Not the synthesis: a stage `x` whose agents have ended is shown with their end. */
const hasOpenAgents = (past: string): string => `EXISTS (SELECT FROM ${past}.agent_executions e
  WHERE e.stage_id = x.stage_id AND e.agent_index <= x.expected_agent_count AND e.parent_execution_id IS NULL AND e.status IN ('pending', 'active'))`;

/** Without what a step has been through and waits for; the times until which agents may run move with the fork. */
function iterationState(changesProvider: boolean): string {
  const without = changesProvider ? " - 'provider' - 'provider_failures'" : "";
  return `(x.iteration_state - 'unfinished_step'${without}) || jsonb_strip_nulls(jsonb_build_object(
    'deadline_at', ${moved("x.iteration_state ->> 'deadline_at'")}, 'budget_until', ${moved("x.iteration_state ->> 'budget_until'")}))`;
}

/** The agent's own provider again, where another had taken over, with what changes. */
const PROVIDER_COLUMNS = `(jsonb_build_object('llm_provider', coalesce(x.original_llm_provider, x.llm_provider),
    'llm_backend', coalesce(x.original_llm_backend, x.llm_backend), 'original_llm_provider', NULL,
    'original_llm_backend', NULL, 'original_model_name', NULL) || $4::jsonb)`;

/** Copies the rows of the investigation as of the fork's point, with the ids of the fork. Throws database errors. */
export async function copyRows(copy: Copy): Promise<void> {
  const gap = await gapOf(copy);
  for (const source of sourcesOf(copy)) await copyTable(copy, source, gap);
  await copyRest(copy);
}

const parseGap = compileParser("gap", Type.Object({ gap: Type.String() }));

/**
 * How long ago the moment was, as text of an interval. The times of a fork's copied rows are those of its creation, while its copied events
 * are older.
 */
async function gapOf({ transaction, parent, point: { atSeq } }: Copy): Promise<string> {
  const [row] = await selectRows(
    transaction,
    parseGap,
    `SELECT (now() - greatest(e.created_at, s.created_at))::text AS gap
     FROM alert_sessions s LEFT JOIN events e ON e.session_id = s.session_id AND e.seq = $2 WHERE s.session_id = $1`,
    [parent, atSeq],
  );
  return row?.gap ?? "0";
}

async function copyTable(copy: Copy, source: Source, gap: string): Promise<void> {
  const { transaction, parent, ids, provider } = copy;
  const { table, from, key, row = "to_jsonb(x)" } = source;
  const more = row.includes("$4") ? [gap, JSON.stringify(provider)] : row.includes("$3") ? [gap] : [];
  const select = `SELECT ${key} AS key, (${row})::text AS row FROM ${from} AND ${key} > $2 ORDER BY ${key} LIMIT ${PAGE}`;
  for (let after = "", isLast = false; !isLast;) {
    const rows = await selectRows(transaction, parseText, select, [parent, after, ...more]);
    await insertRows(transaction, table, ids.rewrite(`[${rows.map((one) => one.row).join(",")}]`));
    after = rows.at(-1)?.key ?? "";
    isLast = rows.length < PAGE;
  }
}

/** Inserts rows that are given as a JSON array. */
async function insertRows(transaction: Queryable, table: string, rows: string): Promise<void> {
  await selectRows(
    transaction,
    parseCount,
    `WITH added AS (
       INSERT INTO ${table} SELECT r.* FROM jsonb_populate_recordset(NULL::${table}, $1::jsonb) r RETURNING 1)
     SELECT count(*)::int AS n FROM added`,
    [rows],
  );
}

const USAGE = modelUsageAggregates("i");

const EVENTS = `
SELECT lpad(seq::text, 10, '0') AS key, jsonb_build_object('seq', seq, 'payload', payload, 'created_at', created_at)::text AS row
FROM events WHERE session_id = $1 AND seq <= $2 AND seq > $3 ORDER BY seq LIMIT 500`;
const ADD_EVENTS = `
WITH added AS (
  INSERT INTO events (session_id, seq, payload, created_at)
  SELECT $2, r.seq, r.payload, r.created_at FROM jsonb_to_recordset($1::jsonb) AS r(seq int, payload jsonb, created_at timestamptz)
  RETURNING 1)
SELECT count(*)::int AS n FROM added`;

/** Those that have no past: they only grow, and are not the investigation's alone. */
const REST = [
  `INSERT INTO masked_values (session_id, digest, digits, length, kind)
   SELECT $2, digest, digits, length, kind FROM masked_values WHERE session_id = $1`,
  `INSERT INTO needed_texts (session_id, hash) SELECT $2, hash FROM needed_texts WHERE session_id = $1 ON CONFLICT DO NOTHING`,
  `INSERT INTO session_runbooks (session_id, hash, failure, settled_at)
   SELECT $2, hash, failure, settled_at FROM session_runbooks WHERE session_id = $1`,
];

async function copyRest({ transaction, parent, fork, ids, point }: Copy): Promise<void> {
  for (const sql of REST) await count(transaction, sql, [parent, fork]);
  const { atSeq } = point;
  for (let after = 0, isLast = atSeq === 0; !isLast;) {
    const rows = await selectRows(transaction, parseText, EVENTS, [parent, atSeq, after]);
    const json = ids.rewrite(`[${rows.map(({ row }) => row).join(",")}]`);
    await selectRows(transaction, parseCount, ADD_EVENTS, [json, fork]);
    after = Number(rows.at(-1)?.key ?? atSeq);
    isLast = rows.length === 0 || after >= atSeq;
  }
  await copyKeptTexts({ transaction, parent, fork, ids, point });
  await count(
    transaction,
    `INSERT INTO session_model_usage (session_id, model_name, ${Object.keys(USAGE).join(", ")})
     SELECT i.session_id, i.model_name, ${Object.values(USAGE).join(", ")}
     FROM llm_interactions i WHERE i.session_id = $1 GROUP BY i.session_id, i.model_name`,
    [fork],
  );
}

const parseCallId = compileParser("kept text", Type.Object({ call_id: Type.String() }));

/**
 * The whole texts of the large results that agents have been shown. A runner stores one before the step that has its window: a call without
 * a result at the fork's point is answered again, and then keeps its text under the same id.
 */
async function copyKeptTexts({
  transaction,
  parent,
  fork,
  ids,
  point: { past },
}: Pick<Copy, "transaction" | "parent" | "fork" | "ids" | "point">): Promise<void> {
  const kept = await selectRows(
    transaction,
    parseCallId,
    `SELECT t.call_id FROM tool_results t WHERE t.session_id = $1 AND EXISTS (
       SELECT FROM ${past}.mcp_interactions i WHERE i.session_id = $1 AND strpos(i.tool_result ->> 'content', t.call_id) > 0)`,
    [parent],
  );
  const map = Object.fromEntries(kept.map(({ call_id }) => [call_id, ids.of(call_id)]));
  await count(
    transaction,
    `INSERT INTO tool_results (call_id, session_id, bytes, lines, content)
     SELECT m.value, $2, t.bytes, t.lines, t.content FROM jsonb_each_text($3::jsonb) m JOIN tool_results t ON t.call_id = m.key
     WHERE t.session_id = $1`,
    [parent, fork, JSON.stringify(map)],
  );
}

async function count(transaction: Queryable, insert: string, parameters: readonly unknown[]): Promise<void> {
  await selectRows(
    transaction,
    parseCount,
    `WITH added AS (${insert} RETURNING 1) SELECT count(*)::int AS n FROM added`,
    parameters,
  );
}
