import { uuidFrom } from "#shared/uuid-from.ts";
import { mergeToolCalls } from "#shared/contract-view/merge-tool-calls.ts";
import {
  summaryAgent,
  summaryStageId,
  type ChainStage,
  type ShownStage,
  type StageExecution,
} from "#shared/contract-view/shown-stages.ts";
import type { RunStatus } from "#shared/contracts/statuses.ts";
import type { TimelineEvent } from "#shared/database/tables/timeline-events.ts";

type TimelineExecution = StageExecution & { readonly execution_id: string; readonly status: RunStatus };

/**
 * A session's timeline as the contract has it, in the order of its rows: each tool call as one entry, entries of a synthesis in
 * its own stage, those of a sub-agent with its parent, empty content left out. The executive summary is two entries: one without
 * stage and execution, and the `final_analysis` of its stage.
 */
export function timelineEntries(
  rows: readonly TimelineEvent[],
  shown: readonly ShownStage<ChainStage, TimelineExecution>[],
) {
  const executions = shown.flatMap((stage) => [...stage.executions, ...stage.sub_agents]);
  const parents = parentsOf(executions);
  const stages = new Map(
    shown.flatMap((stage) =>
      stage.executions.map(({ execution_id }) => [execution_id, stage.stage_id] as const),
    ),
  );
  return mergeToolCalls(rows, executions).flatMap((row) => {
    if (row.event_type === "executive_summary") {
      const analysis = summaryAnalysis(row);
      const { stage_id, execution_id } = analysis;
      return [entry(row, {}), entry({ ...row, ...analysis }, { stage_id, execution_id })];
    }
    const { stage_id, execution_id } = row;
    return [
      entry(row, {
        stage_id: stages.get(execution_id) ?? stage_id,
        execution_id,
        ...parents.get(execution_id),
      }),
    ];
  });
}

function entry(
  { stage_id: _stage, execution_id: _execution, event_id, content, metadata, ...rest }: TimelineEvent,
  place: Partial<Pick<TimelineEvent, "stage_id" | "execution_id">>,
) {
  const { llm_interaction_id, mcp_interaction_id, seq, ...members } = rest;
  return {
    id: event_id,
    event_id,
    ...members,
    ...place,
    ...(content === "" ? {} : { content }),
    ...(metadata === null ? {} : { metadata }),
    ...(llm_interaction_id === null ? {} : { llm_interaction_id }),
    ...(mcp_interaction_id === null ? {} : { mcp_interaction_id }),
    ...(seq === null ? {} : { seq }),
    edges: {},
  };
}

/** The form of a stored `executive_summary` in the stage of the summary. */
export function summaryAnalysis({ event_id, session_id }: Pick<TimelineEvent, "event_id" | "session_id">) {
  return {
    event_id: uuidFrom("summary-analysis", event_id),
    event_type: "final_analysis",
    stage_id: summaryStageId(session_id),
    execution_id: summaryAgent(session_id).execution_id,
    sequence_number: 1,
    metadata: { interaction_type: "executive_summary" },
  } as const;
}

/** The member `parent_execution_id` of what sub-agents did, by their executions. */
export function parentsOf(
  executions: readonly Pick<TimelineExecution, "execution_id" | "parent_execution_id">[],
): ReadonlyMap<string, { readonly parent_execution_id: string }> {
  return new Map(
    executions.flatMap(({ execution_id, parent_execution_id: parent }) =>
      parent === undefined || parent === null
        ? []
        : [[execution_id, { parent_execution_id: parent }] as const],
    ),
  );
}
