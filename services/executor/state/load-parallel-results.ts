import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { ResolvedAgent } from "#shared/contracts/resolved-chain.ts";
import type { SessionLlm } from "../core/session-parts.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { TerminalError } from "#shared/errors.ts";
import { rowMembers } from "#shared/database/tables/row-members.ts";
import { TIMELINE_EVENTS } from "#shared/database/tables/timeline-events.ts";
import { readAgentConclusions } from "./agent-conclusions.ts";
import type { JudgedConclusion } from "../prompts/checked-quotes.ts";
import type { ContextEvent, ParallelResults } from "../prompts/format-context.ts";
import type { ExecutionState, StageState } from "./session-state.ts";

/** An agent of the stage and its execution. */
interface ParallelAgent {
  readonly execution: ExecutionState;
  readonly agent: Pick<ResolvedAgent, "llm_provider" | "iteration_strategy">;
}

const MIB = 1024 * 1024;

const parseSize = compileParser("size of the results", Type.Object({ bytes: Type.Number() }));

const SIZE = `
SELECT coalesce(sum(octet_length(content)), 0)::float8 AS bytes FROM timeline_events
WHERE execution_id = ANY($1::uuid[]) AND status = 'completed' AND event_type <> ALL ('{provider_fallback,skill_loaded,memory_injected}')`;

const parseResult = compileParser(
  "timeline row of an agent",
  Type.Object({
    ...rowMembers(TIMELINE_EVENTS, "execution_id", "event_type", "status", "content", "metadata"),
    llm_provider: Type.String(),
  }),
);

const RESULTS = `
SELECT t.execution_id, t.event_type, t.status, t.content, t.metadata, e.llm_provider
FROM timeline_events t JOIN agent_executions e USING (execution_id)
WHERE t.execution_id = ANY($1::uuid[]) AND t.status = 'completed' AND t.event_type <> ALL ('{provider_fallback,skill_loaded,memory_injected}')
ORDER BY t.sequence_number`;

/**
 * Reads the results of a stage's agents for its synthesis; `handles` by execution, if it quotes them. Throws TerminalError `message_too_large` if they cannot fit
 * one message to the gateway: the results of a hundred agents may exceed this process's memory.
 */
export async function loadParallelResults(
  {
    db,
    llm: { maxMessageBytes },
  }: { readonly db: Queryable; readonly llm: Pick<SessionLlm, "maxMessageBytes"> },
  { stage_name }: Pick<StageState, "stage_name">,
  agents: readonly ParallelAgent[],
  handles: ReadonlyMap<string, string>,
): Promise<ParallelResults> {
  const ids = agents.map(({ execution }) => execution.execution_id);
  const [size] = await selectRows(db, parseSize, SIZE, [ids]);
  const bytes = size?.bytes ?? 0;
  if (bytes > maxMessageBytes) throw tooLarge(agents.length, bytes, maxMessageBytes);
  const rows = await selectRows(db, parseResult, RESULTS, [ids]);
  const conclusions =
    handles.size === 0 ? new Map<string, JudgedConclusion>() : await loadConclusions(db, ids);
  const eventsOf = (id: string) => rows.filter(({ execution_id }) => execution_id === id);
  return {
    stageName: stage_name,
    agents: agents.map(({ execution, agent }) => {
      const events = eventsOf(execution.execution_id);
      const handle = handles.get(execution.execution_id);
      return {
        index: execution.agent_index,
        name: execution.agent_name,
        // The one that answered last.
        provider: events[0]?.llm_provider ?? agent.llm_provider.name,
        strategy: agent.iteration_strategy,
        status: execution.status,
        ...(handle === undefined ? {} : { handle }),
        conclusion: conclusions.get(execution.execution_id) ?? null,
        errorMessage: execution.error_message,
        events: events.map(({ llm_provider: _name, execution_id: _id, ...event }): ContextEvent => event),
      };
    }),
  };
}

async function loadConclusions(
  db: Queryable,
  executionIds: readonly string[],
): Promise<Map<string, JudgedConclusion>> {
  const rows = await readAgentConclusions(db, executionIds);
  return new Map(
    rows.map(({ execution_id, body, ...rest }) => [execution_id, { ...rest, claims: body?.claims ?? [] }]),
  );
}

function tooLarge(agents: number, bytes: number, maxBytes: number): TerminalError {
  const [found, allowed] = [bytes / MIB, maxBytes / MIB].map((size) => `${size.toFixed(1)} MiB`);
  return new TerminalError(
    "message_too_large",
    `the results of ${agents} agents hold ${found}, but one message to the LLM gateway may hold ${allowed}: set a lower max_tool_result_tokens or let fewer agents run`,
  );
}
