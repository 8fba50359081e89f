import type { ApiResponse } from "#shared/client/api-types.ts";
import { isTerminal } from "#shared/contracts/statuses.ts";
import type { SessionEventPayload } from "#shared/contracts/session-event.ts";
import type { NumberedEvent } from "./session-message.ts";

type SessionResponse = ApiResponse<"GET /api/v1/sessions/:id">;
type StageResponse = SessionResponse["stages"][number];

/**
 * Events that lead to a session as REST has it, for one whose own events were deleted: stage by stage, agent by agent, and behind
 * its end what was done with it since. Their numbers are not those that the events had.
 */
export function eventsOfRest(session: SessionResponse): NumberedEvent[] {
  const { id: session_id, status } = session;
  const began = session.started_at ?? session.created_at;
  const ended = session.completed_at ?? began;
  const payloads: SessionEventPayload[] = [
    { type: "session.status", session_id, status: "in_progress", timestamp: began },
    ...session.stages.filter((stage) => !isFollowUp(stage)).flatMap((stage) => stagePayloads(session, stage)),
  ];
  const summary = session.timeline.find(({ event_type }) => event_type === "executive_summary");
  if (summary !== undefined) payloads.push(entryPayload(session, summary, summary.stage_id));
  payloads.push(...conclusionPayloads(session));
  payloads.push({
    type: "session.completed",
    session_id,
    status,
    ...(session.error_message === null ? {} : { error_message: session.error_message }),
    timestamp: ended,
  });
  payloads.push(...session.stages.filter(isFollowUp).flatMap((stage) => stagePayloads(session, stage)));
  payloads.push(...scorePayloads(session));
  return payloads.map((payload, position) => ({ ...payload, seq: position + 1 }));
}

function isFollowUp({ stage_type }: StageResponse): boolean {
  return stage_type === "chat" || stage_type === "scoring";
}

function scorePayloads(session: SessionResponse): SessionEventPayload[] {
  const { id: session_id, score_id, scoring_status, latest_score, created_at: timestamp } = session;
  if (score_id === null || scoring_status === null) return [];
  const known = latest_score === null ? {} : { total_score: latest_score };
  return [{ type: "session.score_updated", session_id, score_id, scoring_status, ...known, timestamp }];
}

function conclusionPayloads(session: SessionResponse): SessionEventPayload[] {
  const { id: session_id, conclusion_status: status, claims_verified = 0, claims_total = 0 } = session;
  const { stage_id, executions: [last] = [] } = session.stages.findLast((stage) => !isFollowUp(stage)) ?? {};
  if (status === undefined || stage_id === undefined || last === undefined) return [];
  const { execution_id } = last;
  const counts = { status, claims_verified, claims_total };
  const timestamp = session.completed_at ?? session.created_at;
  return [
    { type: "conclusion.checked", session_id, stage_id, execution_id, attempt: 1, ...counts, timestamp },
  ];
}

/** The synthesis of a stage is a stage of its own there, and the executive summary, too. */
function stagePayloads(session: SessionResponse, stage: StageResponse): SessionEventPayload[] {
  const { stage_type } = stage;
  if (stage_type === "exec_summary") return [];
  const { id: session_id } = session;
  const base = {
    session_id,
    stage_id: stage.referenced_stage_id ?? stage.stage_id,
    stage_name: stage.stage_name,
  };
  const began = stage.started_at ?? session.created_at;
  const ended = stage.completed_at ?? began;
  const chainStages = session.stages.filter(({ referenced_stage_id: of }) => of === undefined);
  const owner = chainStages.find(({ stage_id }) => stage_id === base.stage_id);
  const stage_index = chainStages.findIndex((other) => other === owner) + 1;
  const started: SessionEventPayload[] =
    stage_type === "synthesis"
      ? []
      : [
          {
            ...base,
            type: "stage.started",
            stage_index,
            stage_type,
            status: "active",
            expected_agent_count: stage.expected_agent_count,
            timestamp: began,
          },
        ];
  const before = stage.referenced_stage_id === undefined ? 0 : (owner?.expected_agent_count ?? 0);
  return [
    ...started,
    ...stage.executions.flatMap((execution) => [
      ...executionPayloads(session, { ...base, execution, before }),
      ...(execution.sub_agents ?? []).flatMap((child) =>
        executionPayloads(session, { ...base, execution: child, before: 0 }),
      ),
    ]),
    ...(isTerminal(stage.status)
      ? [{ ...base, type: "stage.completed", stage_index, status: stage.status, timestamp: ended } as const]
      : []),
  ];
}

interface ExecutionOf {
  readonly session_id: string;
  readonly stage_id: string;
  readonly execution: Omit<StageResponse["executions"][number], "sub_agents"> & {
    readonly parent_execution_id?: string;
  };
  /** The agents of the stage before a synthesis. */
  readonly before: number;
}

function executionPayloads(session: SessionResponse, of: ExecutionOf): SessionEventPayload[] {
  const { session_id, stage_id, execution, before } = of;
  const { execution_id, parent_execution_id, agent_name, status, error_message } = execution;
  const ofParent = parent_execution_id === undefined ? {} : { parent_execution_id };
  const agent_index = before + execution.agent_index;
  const base = {
    type: "execution.status",
    session_id,
    stage_id,
    execution_id,
    ...ofParent,
    agent_name,
    agent_index,
  } as const;
  const entries = session.timeline
    .filter((row) => row.execution_id === execution_id && row.event_type !== "executive_summary")
    .map((row) => entryPayload(session, row, stage_id));
  // A question is there before the agent that answers it has begun.
  if (execution.started_at === null) return entries;
  return [
    { ...base, status: "active", timestamp: execution.started_at },
    ...entries,
    {
      ...base,
      status,
      ...(error_message === null ? {} : { error_message }),
      timestamp: execution.completed_at ?? execution.started_at,
    },
  ];
}

function entryPayload(
  { id: session_id }: SessionResponse,
  row: SessionResponse["timeline"][number],
  stage_id: string,
): SessionEventPayload {
  const { event_id, execution_id, event_type, status, content, metadata, sequence_number } = row;
  return {
    type: "timeline_event.created",
    event_id,
    session_id,
    stage_id,
    execution_id,
    event_type,
    status,
    content,
    metadata: metadata ?? null,
    sequence_number,
    timestamp: row.created_at,
  };
}
