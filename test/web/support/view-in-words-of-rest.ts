import { synthesisStageId } from "#shared/contract-view/shown-stages.ts";
import type { AgentLane, SessionView } from "../../../services/web/session/session-view.ts";

/** A view in the words of REST: synthesis as a stage of its own, whose stage is completed for its agents. */
export function viewInWordsOfRest(view: SessionView) {
  return {
    status: view.status,
    error: view.error,
    summary: view.summary?.content,
    stages: [...view.stages, ...view.followUps].flatMap(({ id, name, status, lanes, synthesis }) => {
      const stage = { stage_id: id, stage_name: name, status, lanes: lanes.map(shownLane) };
      if (synthesis === undefined) return [stage];
      return [
        { ...stage, status: "completed" },
        {
          stage_id: synthesisStageId(id),
          stage_name: `${name} - Synthesis`,
          status,
          lanes: [shownLane(synthesis)],
        },
      ];
    }),
  };
}

function shownLane({ executionId, agent, status, error, entries }: AgentLane) {
  return {
    execution_id: executionId,
    agent,
    status,
    error,
    entries: entries.map((entry) => ({
      event_id: entry.id,
      execution_id: entry.executionId,
      event_type: entry.type,
      status: entry.status,
      content: entry.content,
      call: entry.call === undefined ? undefined : withArgumentsAsText(entry.metadata),
    })),
  };
}

/** REST has a call's arguments as JSON text, an event has them as an object. */
function withArgumentsAsText(metadata: AgentLane["entries"][number]["metadata"]) {
  const written: unknown = metadata?.["arguments"];
  return typeof written === "object" ? { ...metadata, arguments: JSON.stringify(written) } : metadata;
}
