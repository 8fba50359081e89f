import type { SocketMessage } from "#shared/contract-view/socket-message.ts";
import { summaryAgent, summaryStageId, synthesisStageId } from "#shared/contract-view/shown-stages.ts";
import { summaryAnalysis } from "#shared/contract-view/timeline-entry.ts";
import { callOfResult, completedCall, openCallMetadata } from "#shared/contract-view/tool-call-entry.ts";
import type { SessionEvent, SessionEventPayload } from "#shared/contracts/session-event.ts";
import { isTerminal, type RunStatus, type TerminalStatus } from "#shared/contracts/statuses.ts";
import type { NumberedStage } from "./plan-numbering.ts";
import type { DialectFacts } from "./session-facts.ts";
import { translateProgress } from "./translate-progress.ts";

type Payload<T extends SessionEventPayload["type"]> = Extract<SessionEventPayload, { type: T }>;
type StageStatus = Extract<SocketMessage, { type: "stage.status" }>;
type EventPayload = Pick<SessionEvent, "payload" | "db_event_id">;

/** The contract has these events, or clients that do not know them ignore them. */
const SENT_AS_STORED = [
  "approval.decided",
  "steer.received",
  "alert.linked",
  "session.parked",
  "session.resumed",
  "chat.created",
  "review.status",
  "session.score_updated",
] as const;

/**
 * A stored event as messages of the contract, in their order; none if its clients do not get it. The facts must include
 * those of the event itself.
 *
 * The cursor of a message that precedes the last one of its event with a cursor lies before the event: a client that got
 * only the first message gets all of them again.
 */
export function translateEvent({ payload, db_event_id }: EventPayload, facts: DialectFacts): SocketMessage[] {
  if (isSentAsStored(payload)) return [{ ...payload, db_event_id }];
  switch (payload.type) {
    case "session.status":
      // The last message about a session is made from its last event.
      if (isTerminal(payload.status)) return summaryEnd(payload, payload.status, { facts, db_event_id });
      return [{ ...payload, type: "session.status", db_event_id }];
    case "session.completed":
      return [{ ...payload, type: "session.status", db_event_id }];
    case "session.taken_over":
    case "conclusion.checked":
      // The contract has no such message.
      return [];
    case "stage.started":
      if (facts.isFollowUp(payload.stage_id)) return [ofFollowUp(payload, "started", { facts, db_event_id })];
      return [ofStage(payload, "started", { facts, db_event_id })];
    case "stage.completed":
      return stageEnd(payload, { facts, db_event_id });
    case "execution.status":
      return executionChange(payload, { facts, db_event_id });
    case "session.progress":
      return progressed(payload, { facts, db_event_id });
    case "timeline_event.created":
      return created(payload, { facts, db_event_id });
    case "timeline_event.completed": {
      const { metadata, ...rest } = payload;
      return [{ ...rest, ...metadataOf(metadata), db_event_id }];
    }
    case "interaction.created":
    case "approval.requested":
    case "budget.soft_limit":
    case "budget.exceeded":
      return [{ ...payload, stage_id: shownStageOf(payload, facts), db_event_id }];
    default:
      return payload satisfies never;
  }
}

function isSentAsStored(payload: SessionEventPayload): payload is Payload<(typeof SENT_AS_STORED)[number]> {
  return SENT_AS_STORED.some((type) => type === payload.type);
}

interface Context {
  readonly facts: DialectFacts;
  readonly db_event_id: number;
}

/** The id of the stage in which an execution is shown. */
export function shownStageOf(
  { stage_id, execution_id }: { readonly stage_id: string; readonly execution_id: string },
  facts: DialectFacts,
): string {
  return facts.isSynthesis(execution_id) ? synthesisStageId(stage_id) : stage_id;
}

function ofStage(
  { session_id, stage_id, stage_name, timestamp }: Payload<"stage.started" | "stage.completed">,
  status: StageStatus["status"],
  { facts, db_event_id }: Context,
): StageStatus {
  const numbered = facts.plan.stages[facts.positionOf(stage_id)];
  return {
    type: "stage.status",
    session_id,
    stage_id,
    stage_name,
    stage_index: numbered?.index ?? 1,
    stage_type: numbered?.type ?? "investigation",
    status,
    db_event_id,
    timestamp,
  };
}

/** A stage that follows the session's end is numbered after those that are shown if nothing fails. */
function ofFollowUp(
  payload: Payload<"stage.started" | "stage.completed">,
  status: StageStatus["status"],
  context: Context,
): StageStatus {
  const { plan } = context.facts;
  return {
    ...ofStage(payload, status, context),
    stage_index: plan.total + payload.stage_index - plan.stages.length,
    stage_type: payload.stage_type ?? "chat",
  };
}

/** A stage with a synthesis ended for its agents when that began. */
function stageEnd(payload: Payload<"stage.started" | "stage.completed">, context: Context): SocketMessage[] {
  const { stage_id, status, session_id, timestamp } = payload;
  const { facts, db_event_id } = context;
  const end = isTerminal(status) ? status : "completed";
  if (facts.isFollowUp(stage_id)) return [ofFollowUp(payload, end, context)];
  const synthesis = facts.plan.stages[facts.positionOf(stage_id)]?.synthesis ?? null;
  if (synthesis === null || !facts.isSynthesized(stage_id)) return [ofStage(payload, end, context)];
  return [ofSynthesis({ session_id, stage_id, timestamp }, synthesis, { status: end, db_event_id })];
}

function ofSynthesis(
  { session_id, stage_id, timestamp }: Pick<StageStatus, "session_id" | "stage_id" | "timestamp">,
  { index, name, type }: NumberedStage,
  change: Pick<StageStatus, "status" | "db_event_id">,
): StageStatus {
  return {
    type: "stage.status",
    session_id,
    stage_id: synthesisStageId(stage_id),
    stage_name: name,
    stage_index: index,
    stage_type: type,
    referenced_stage_id: stage_id,
    ...change,
    timestamp,
  };
}

function executionChange(
  payload: Payload<"execution.status">,
  { facts, db_event_id }: Context,
): SocketMessage[] {
  const { session_id, stage_id, execution_id, agent_index, status, timestamp } = payload;
  const position = facts.positionOf(stage_id);
  const stage = facts.plan.stages[position];
  const isSynthesis = facts.isSynthesis(execution_id);
  const message: SocketMessage = {
    ...payload,
    stage_id: shownStageOf(payload, facts),
    agent_index: isSynthesis ? agent_index - facts.agentsOf(stage_id) : agent_index,
  };
  if (isTerminal(status)) {
    const left = status === "completed" ? "cancelled" : status;
    return [...leftCalls(payload, left, facts, db_event_id), message];
  }
  if (!isSynthesis || stage === undefined || stage.synthesis === null) return [message];
  const base = { session_id, stage_id, timestamp };
  return [
    {
      type: "stage.status",
      ...base,
      stage_name: stage.name,
      stage_index: stage.index,
      stage_type: stage.type,
      status: "completed",
      // An event without a cursor always precedes it: the progress of the stage's last agent.
      db_event_id: db_event_id - 1,
    },
    ofSynthesis(base, stage.synthesis, { status: "started", db_event_id }),
    message,
  ];
}

/** Calls of which an agent that has ended will not see the result. */
function leftCalls(
  { session_id, execution_id, timestamp }: Payload<"execution.status">,
  status: TerminalStatus,
  facts: DialectFacts,
  db_event_id: number,
): SocketMessage[] {
  const calls = facts.callsWithoutResult(execution_id);
  return calls.map((event_id) => ({
    type: "timeline_event.completed",
    session_id,
    event_id,
    event_type: "llm_tool_call",
    status,
    content: "",
    timestamp,
    ...(event_id === calls.at(-1) ? { db_event_id } : {}),
  }));
}

function progressed(payload: Payload<"session.progress">, { facts, db_event_id }: Context): SocketMessage[] {
  const message = translateProgress(payload, facts.plan);
  if (payload.current_stage_type !== "exec_summary") return [message];
  return [
    summaryStatus(payload, "started", { facts, db_event_id }),
    summaryExecution(payload, "active"),
    message,
  ];
}

function summaryExecution(
  { session_id, timestamp }: Pick<SessionEventPayload, "session_id" | "timestamp">,
  status: RunStatus,
): SocketMessage {
  const stage_id = summaryStageId(session_id);
  return { type: "execution.status", session_id, stage_id, ...summaryAgent(session_id), status, timestamp };
}

function summaryStatus(
  { session_id, timestamp }: Pick<SessionEventPayload, "session_id" | "timestamp">,
  status: StageStatus["status"],
  { facts, db_event_id }: Context,
): StageStatus {
  const { index, name, type } = facts.plan.summary;
  return {
    type: "stage.status",
    session_id,
    stage_id: summaryStageId(session_id),
    stage_name: name,
    stage_index: index,
    stage_type: type,
    status,
    db_event_id,
    timestamp,
  };
}

/** The end of the stage of a summary that was due; a session that completed without one has failed to write it. */
function summaryEnd(
  payload: Payload<"session.status" | "session.completed">,
  end: TerminalStatus,
  context: Context,
): SocketMessage[] {
  const { isSummaryDue, hasSummary } = context.facts;
  if (!isSummaryDue) return [];
  const status = hasSummary ? "completed" : end === "completed" ? "failed" : end;
  return [summaryExecution(payload, status), summaryStatus(payload, status, context)];
}

function created(payload: Payload<"timeline_event.created">, context: Context): SocketMessage[] {
  const { facts, db_event_id } = context;
  const {
    session_id,
    event_id,
    event_type,
    content,
    source,
    timestamp,
    metadata: written,
    ...rest
  } = payload;
  const metadata = source === undefined ? written : { ...written, source };
  if (event_type === "executive_summary") {
    return [{ ...rest, timestamp, content, db_event_id, session_id, ...summaryAnalysis(payload) }];
  }
  const stage_id = shownStageOf(payload, facts);
  const base = { session_id, event_id, timestamp, db_event_id };
  if (event_type === "tool_result") {
    return [
      {
        ...base,
        type: "timeline_event.completed",
        event_id: callOfResult(metadata),
        event_type: "llm_tool_call",
        ...completedCall({ content, ...(metadata === undefined ? {} : { metadata }) }),
      },
    ];
  }
  if (event_type === "llm_tool_call") {
    const opened = { status: "streaming", content: "", metadata: openCallMetadata(metadata) } as const;
    return [{ ...rest, ...base, event_type, stage_id, ...opened }];
  }
  return [{ ...rest, ...base, event_type, content, stage_id, ...metadataOf(metadata) }];
}

function metadataOf(metadata: object | null | undefined): { metadata?: object } {
  return metadata === null || metadata === undefined ? {} : { metadata };
}
