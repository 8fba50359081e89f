import { Type } from "typebox";
import { In } from "typeorm";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { TimelineEventEntity } from "#shared/database/entities/timeline-event.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { TerminalError } from "#shared/errors.ts";
import type { AgentRun, StagePlace } from "./next-session-step.ts";
import type { OwnedSession } from "./owned-session.ts";
import type { ParallelResults } from "./prompts/format-context.ts";

const MIB = 1024 * 1024;

const parseSize = compileParser("size of the results", Type.Object({ bytes: Type.Number() }));

const SIZE = `
SELECT coalesce(sum(octet_length(content)), 0)::float8 AS bytes FROM timeline_events
WHERE execution_id = ANY($1::uuid[]) AND status = 'completed'`;

/**
 * Reads what a stage's agents came to, for the one that combines it. Throws TerminalError `message_too_large` where that
 * cannot fit one message: a hundred agents can leave more than this process could hold.
 */
export async function loadParallelResults(
  { db, maxMessageBytes }: Pick<OwnedSession, "db" | "maxMessageBytes">,
  { stage }: StagePlace,
  agents: readonly AgentRun[],
): Promise<ParallelResults> {
  const ids = agents.map(({ execution }) => execution.execution_id);
  const [size] = await selectRows(db, parseSize, SIZE, [ids]);
  const bytes = size?.bytes ?? 0;
  if (bytes > maxMessageBytes) throw tooLarge(agents.length, bytes, maxMessageBytes);
  const events = await db.getRepository(TimelineEventEntity).find({
    where: { execution_id: In(ids), status: "completed" },
    order: { sequence_number: "ASC" },
  });
  return {
    stageName: stage.stage_name,
    agents: agents.map(({ execution, agent }) => ({
      index: execution.agent_index,
      name: execution.agent_name,
      provider: agent.llm_provider.name,
      strategy: agent.iteration_strategy,
      status: execution.status,
      errorMessage: execution.error_message,
      events: events.filter(({ execution_id }) => execution_id === execution.execution_id),
    })),
  };
}

function tooLarge(agents: number, bytes: number, maxBytes: number): TerminalError {
  const [found, allowed] = [bytes / MIB, maxBytes / MIB].map((size) => `${size.toFixed(1)} MiB`);
  return new TerminalError(
    "message_too_large",
    `the results of ${agents} agents hold ${found}, but one message to the LLM gateway may hold ${allowed}: set a lower max_tool_result_tokens or let fewer agents run`,
  );
}
