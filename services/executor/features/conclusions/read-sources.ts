import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { BUILT_IN_SERVER } from "#shared/contracts/tool-names.ts";
import { MEMORY_TOOL_NAMES } from "#shared/contracts/memory.ts";
import { toolCallId } from "#shared/contracts/tool-call.ts";
import { Uuid } from "#shared/contracts/uuid.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { MAX_ALERT_CHARACTERS } from "../../state/evidence.ts";
import { agentHandle, AGENT_ORDINALS } from "../../state/agent-handles.ts";
import { SourceNames } from "./quotes/source-names.ts";
import type { Source } from "./verify-quotes.ts";

/** A result of the session that can be quoted. */
export interface ResultSource extends Source {
  readonly interactionId: string;
}

const parseResult = compileParser(
  "result of a session",
  Type.Object({
    interaction_id: Uuid,
    execution_id: Uuid,
    agent_name: Type.String(),
    ordinal: Type.Integer(),
    number: Type.Integer(),
    iteration: Type.Integer(),
    call_index: Type.Integer(),
    server_name: Type.String(),
    tool_name: Type.String(),
    is_error: Type.Boolean(),
    bytes: Type.Integer(),
  }),
);

/** The number is that of the handle: the calls of an execution in their order. */
const RESULTS = `
WITH ${AGENT_ORDINALS}
SELECT m.interaction_id, m.execution_id, a.agent_name, a.ordinal,
  (row_number() OVER (PARTITION BY m.execution_id ORDER BY (m.outcome->>'iteration')::int, (m.outcome->>'index')::int))::int AS number,
  (m.outcome->>'iteration')::int AS iteration, (m.outcome->>'index')::int AS call_index,
  m.server_name, coalesce(m.tool_name, '') AS tool_name,
  (m.outcome->>'kind' <> 'result' OR coalesce((m.tool_result->>'is_error')::boolean, true)) AS is_error,
  coalesce(octet_length(m.tool_result->>'content'), 0) AS bytes
FROM mcp_interactions m JOIN agents a USING (execution_id)
WHERE m.session_id = $1 AND m.interaction_type = 'tool_call' AND m.outcome IS NOT NULL
ORDER BY a.ordinal, number`;

const parseText = compileParser(
  "text of a result",
  Type.Object({ id: Type.String(), content: Type.String() }),
);

const parseKept = compileParser(
  "size of a kept result",
  Type.Object({ call_id: Type.String(), bytes: Type.Integer() }),
);

const KEPT = "SELECT call_id, bytes FROM tool_results WHERE session_id = $1";

/** The whole text where the conversation has only a window of it. */
const TEXTS = `
SELECT m.interaction_id::text AS id, coalesce(r.content, m.tool_result->>'content', '') AS content
FROM json_to_recordset($2::json) AS asked(interaction_id uuid, call_id text)
JOIN mcp_interactions m USING (interaction_id) LEFT JOIN tool_results r ON r.call_id = asked.call_id AND r.session_id = $1
WHERE m.session_id = $1`;

const parseForeign = compileParser("result of another session", Type.Object({ id: Type.String() }));

const FOREIGN = `
SELECT interaction_id::text AS id FROM mcp_interactions WHERE interaction_id = ANY($2::uuid[]) AND session_id <> $1
UNION SELECT call_id FROM tool_calls WHERE call_id = ANY($2::text[]) AND session_id <> $1`;

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/giu;
/** Read whole in the order of the quotes that name them; texts that no quote names only to say where else a quote stands. */
const MAX_BYTES = { named: 64 * 1_024 * 1_024, others: 8 * 1_024 * 1_024 };

const parseAlert = compileParser(
  "alert that joined",
  Type.Object({ ordinal: Type.Integer(), text: Type.String() }),
);

/** Those that agents of the session were shown, as far as they were. */
const JOINED = `
SELECT ordinal, left(data, ${MAX_ALERT_CHARACTERS}) AS text FROM group_alerts
WHERE session_id = $1 AND data IS NOT NULL AND ordinal > 1
  AND ordinal <= (SELECT max(through) FROM evidence_deliveries WHERE session_id = $1)
ORDER BY ordinal DESC LIMIT 100`;

/** Reads the alerts that have joined the incident of a session and that its agents have read, oldest first. Throws database errors. */
export async function readJoinedAlerts(db: Queryable, sessionId: string): Promise<Source[]> {
  const alerts = await selectRows(db, parseAlert, JOINED, [sessionId]);
  return alerts.toReversed().map(({ ordinal, text }) => ({
    id: `alert#${ordinal}`,
    also: [`alert ${ordinal}`],
    kind: "alert",
    text,
  }));
}

interface Quoting {
  readonly sessionId: string;
  /** The agent that quotes: its own results need no name of an agent. */
  readonly executionId: string;
  /** What its quotes name, as the model wrote it. */
  readonly named: readonly string[];
}

/**
 * Reads the results of tools that an agent can quote: its own and those of all other agents of its session, whole and masked as they
 * are stored. Results of built-in tools repeat others or are words of ours, and are none; what shows earlier sessions is marked as
 * theirs, and so is each result of another session that a quote names by its id. Throws database errors.
 */
export async function readSources(
  db: Queryable,
  { sessionId, executionId, named }: Quoting,
  limits = MAX_BYTES,
): Promise<ResultSource[]> {
  const kept = await selectRows(db, parseKept, KEPT, [sessionId]);
  const sizes = new Map(kept.map(({ call_id, bytes }) => [call_id, bytes]));
  const rows = (await selectRows(db, parseResult, RESULTS, [sessionId])).map((row) => {
    const { execution_id, iteration, call_index: index, number, interaction_id } = row;
    const agent = agentHandle(row);
    const callId = toolCallId(execution_id, { iteration, index });
    const name = `${agent}/r${number}`;
    const [id, ...others] =
      execution_id === executionId ? ([`r${number}`, name] as const) : ([name] as const);
    const size = sizes.get(callId) ?? row.bytes;
    return { ...row, id, also: [...others, callId, interaction_id], callId, size };
  });
  const isFromMemory = ({ server_name, tool_name }: (typeof rows)[number]) =>
    server_name === BUILT_IN_SERVER && MEMORY_TOOL_NAMES.some((name) => name === tool_name);
  const quotable = rows.filter((row) => row.server_name !== BUILT_IN_SERVER || isFromMemory(row));
  const names = new SourceNames(quotable);
  const quoted = new Set(named.flatMap((name) => names.find(name) ?? []));
  const read = withinBytes([...quoted], limits.named);
  const others = withinBytes(
    quotable.filter((row) => !quoted.has(row)),
    limits.others,
  );
  const asked = [...read, ...others].map(({ interaction_id, callId: call_id }) => ({
    interaction_id,
    call_id,
  }));
  const texts = await selectRows(db, parseText, TEXTS, [sessionId, JSON.stringify(asked)]);
  const textOf = new Map(texts.map(({ id, content }) => [id, content]));
  const results = quotable.flatMap((row): ResultSource[] => {
    const { id, also, interaction_id: interactionId } = row;
    const text = textOf.get(interactionId);
    const isUnread = text === undefined;
    if (isUnread && !quoted.has(row)) return [];
    const kind = isFromMemory(row) ? "other_session" : row.is_error ? "error" : "result";
    return [{ id, also, kind: isUnread ? "unread" : kind, interactionId, text: text ?? "" }];
  });
  return [...results, ...(await foreignSources(db, sessionId, named))];
}

/** The first rows that have no more bytes in all. */
function withinBytes<R extends { readonly size: number }>(rows: readonly R[], bytes: number): R[] {
  let left = bytes;
  return rows.filter(({ size }) => {
    left -= size;
    return left >= 0;
  });
}

async function foreignSources(
  db: Queryable,
  sessionId: string,
  named: readonly string[],
): Promise<ResultSource[]> {
  const ids = [...new Set(named.flatMap((one) => one.toLowerCase().match(UUID) ?? []))];
  if (ids.length === 0) return [];
  const foreign = await selectRows(db, parseForeign, FOREIGN, [sessionId, ids]);
  return foreign.map(({ id }) => ({ id, text: "", kind: "other_session", interactionId: id }));
}
