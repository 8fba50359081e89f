import { mergeToolCalls } from "#shared/contract-view/merge-tool-calls.ts";
import type { ChainStage, ShownStage, StageExecution } from "#shared/contract-view/shown-stages.ts";
import type { RunStatus } from "#shared/contracts/statuses.ts";
import type { TimelineEvent } from "#shared/database/entities/timeline-event.ts";

type Execution = StageExecution & { readonly execution_id: string; readonly status: RunStatus };

/**
 * A session's timeline as the contract has it, in the order of its rows: each tool call as one entry, entries of a synthesis in
 * its own stage, those of a sub-agent with its parent, the executive summary without stage and execution, empty content left out.
 */
export function timelineEntries(
  rows: readonly TimelineEvent[],
  shown: readonly ShownStage<ChainStage, Execution>[],
): object[] {
  const executions = shown.flatMap((stage) => [...stage.executions, ...stage.sub_agents]);
  const parents = parentsOf(executions);
  const stages = new Map(
    shown.flatMap((stage) =>
      stage.executions.map(({ execution_id }) => [execution_id, stage.stage_id] as const),
    ),
  );
  return mergeToolCalls(rows, executions).map((row) => {
    const { event_id, stage_id, execution_id, content, metadata, ...rest } = row;
    const { llm_interaction_id, mcp_interaction_id, seq, ...members } = rest;
    return {
      id: event_id,
      event_id,
      ...members,
      ...(row.event_type === "executive_summary"
        ? {}
        : { stage_id: stages.get(execution_id) ?? stage_id, execution_id, ...parents.get(execution_id) }),
      ...(content === "" ? {} : { content }),
      ...(metadata === null ? {} : { metadata }),
      ...(llm_interaction_id === null ? {} : { llm_interaction_id }),
      ...(mcp_interaction_id === null ? {} : { mcp_interaction_id }),
      ...(seq === null ? {} : { seq }),
      edges: {},
    };
  });
}

/** The member `parent_execution_id` of what sub-agents did, by their executions. */
export function parentsOf(
  executions: readonly Pick<Execution, "execution_id" | "parent_execution_id">[],
): ReadonlyMap<string, { readonly parent_execution_id: string }> {
  return new Map(
    executions.flatMap(({ execution_id, parent_execution_id: parent }) =>
      parent === undefined || parent === null
        ? []
        : [[execution_id, { parent_execution_id: parent }] as const],
    ),
  );
}
