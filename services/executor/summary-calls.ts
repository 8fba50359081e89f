import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { ResolvedAgent } from "#shared/contracts/resolved-chain.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { agentWithProvider, candidates, failuresAllowed } from "./controllers/choose-provider.ts";

const FailedSummaryCall = Type.Object({
  error_code: Type.Union([Type.String(), Type.Null()]),
  /** The position of the called provider in its agent's list; 0 for the agent's own. */
  position: Type.Integer(),
});

/** A failed call for the executive summary, as recorded. */
interface FailedSummaryCall {
  readonly error_code: string | null;
  readonly position: number;
}

const parseHistory = compileParser(
  "calls for the executive summary",
  Type.Object({ next_sequence: Type.Integer(), calls: Type.Array(FailedSummaryCall) }),
);

const HISTORY = `
SELECT (SELECT coalesce(max(sequence_number), 0) + 1 FROM timeline_events WHERE execution_id = $1) AS next_sequence,
  (SELECT coalesce(json_agg(c ORDER BY c.created_at), '[]') FROM (
     SELECT error_code, coalesce((llm_request->>'provider_position')::int, 0) AS position, created_at
     FROM llm_interactions WHERE execution_id = $1 AND interaction_type = 'executive_summary') c) AS calls`;

/** The stored part of the summary, and the number of its execution's next timeline row. */
export async function readSummaryCalls(
  db: Queryable,
  executionId: string,
): Promise<{ readonly nextSequence: number; readonly calls: readonly FailedSummaryCall[] }> {
  const [row] = await selectRows(db, parseHistory, HISTORY, [executionId]);
  return { nextSequence: row?.next_sequence ?? 1, calls: row?.calls ?? [] };
}

const EMPTY_REPLIES_ALLOWED = 2;

/**
 * The position of the provider to call next for the summary, or null if the last failure is final. It depends on what is
 * stored only. A summary is one call: another provider takes over at the first failure that speaks against the one in use.
 */
export function nextSummaryPosition(
  agent: ResolvedAgent,
  calls: readonly FailedSummaryCall[],
): number | null {
  const last = calls.at(-1);
  if (last === undefined) return 0;
  const { position } = last;
  const others = calls.findLastIndex((call) => call.position !== position || !isEmpty(call));
  const empty = calls.length - 1 - others;
  if (isEmpty(last) && empty <= EMPTY_REPLIES_ALLOWED) return position;
  if (failuresAllowed(last.error_code ?? "", true) === Infinity) return null;
  const [next] = candidates(agentAt(agent, position));
  return next === undefined ? null : position + next.distance;
}

function isEmpty({ error_code }: FailedSummaryCall): boolean {
  return error_code === "empty_response";
}

/** The agent with the provider at this position in use. */
export function agentAt(agent: ResolvedAgent, position: number): ResolvedAgent {
  return position === 0 ? agent : agentWithProvider(agent, { provider: { position, since_message: 0 } });
}
