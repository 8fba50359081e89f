/** The enums of the database and the wire. Each is one list; its type is derived from the list. */

export const SESSION_STATUSES = [
  "pending",
  "in_progress",
  "cancelling",
  "completed",
  "failed",
  "cancelled",
  "timed_out",
] as const;
export type SessionStatus = (typeof SESSION_STATUSES)[number];

/** Final statuses of sessions, stages, executions and timeline events. */
export const TERMINAL_STATUSES = ["completed", "failed", "cancelled", "timed_out"] as const;
export type TerminalStatus = (typeof TERMINAL_STATUSES)[number];

/** Statuses of stages and agent executions. */
export const RUN_STATUSES = ["pending", "active", ...TERMINAL_STATUSES] as const;
export type RunStatus = (typeof RUN_STATUSES)[number];

export const TIMELINE_STATUSES = ["streaming", ...TERMINAL_STATUSES] as const;
export type TimelineStatus = (typeof TIMELINE_STATUSES)[number];

export const TIMELINE_EVENT_TYPES = [
  "llm_thinking",
  "llm_response",
  "llm_tool_call",
  "tool_result",
  "mcp_tool_call",
  "mcp_tool_summary",
  "error",
  "user_question",
  "executive_summary",
  "final_analysis",
  "code_execution",
  "google_search_result",
  "url_context_result",
  "provider_fallback",
  "skill_loaded",
  "task_assigned",
  "memory_injected",
] as const;
export type TimelineEventType = (typeof TIMELINE_EVENT_TYPES)[number];

/** The sources of thinking in the timeline: marked by the provider, or the thought of a ReAct reply. */
export const THINKING_SOURCES = ["native", "react"] as const;
export type ThinkingSource = (typeof THINKING_SOURCES)[number];

export const MESSAGE_ROLES = ["system", "user", "assistant", "tool"] as const;

export const LLM_INTERACTION_TYPES = [
  "iteration",
  "final_analysis",
  "executive_summary",
  "chat_response",
  "forced_conclusion",
  "synthesis",
  "summarization",
  "scoring",
  "memory_extraction",
  "conclusion",
] as const;
export type LlmInteractionType = (typeof LLM_INTERACTION_TYPES)[number];

export const MCP_INTERACTION_TYPES = ["tool_call", "tool_list"] as const;

/** The target of a recorded call: a model, or an MCP server. */
export const INTERACTION_KINDS = ["llm", "mcp"] as const;
export type InteractionKind = (typeof INTERACTION_KINDS)[number];

export const PARALLEL_TYPES = ["multi_agent", "replica"] as const;
export type ParallelType = (typeof PARALLEL_TYPES)[number];

/** The types of a chain's stages. `action`: every agent of the stage may change things. */
export const CHAIN_STAGE_TYPES = ["investigation", "action"] as const;

/** Those, and the types of stages that follow the end of a session. */
export const STAGE_TYPES = [...CHAIN_STAGE_TYPES, "chat", "scoring"] as const;
export type StageType = (typeof STAGE_TYPES)[number];

/** True for a stage of the session's chain; other stages are work on a session that has ended. */
export function isChainStage({ stage_type }: { readonly stage_type: StageType }): boolean {
  return CHAIN_STAGE_TYPES.some((type) => type === stage_type);
}

/** Work on a session that has ended. */
export const FOLLOW_UP_KINDS = ["chat", "score", "feedback"] as const;
export type FollowUpKind = (typeof FOLLOW_UP_KINDS)[number];

export const SUCCESS_POLICIES = ["all", "any"] as const;
export type SuccessPolicy = (typeof SUCCESS_POLICIES)[number];

/**
 * States of a claimed tool call. An id is claimed once: as `running`, to run the call, or as `abandoned`, so that it
 * never runs.
 */
export const TOOL_CALL_STATES = ["running", "completed", "failed", "abandoned"] as const;

/** The possible answers to the question whether a tool call may be made. */
export const APPROVAL_DECISIONS = ["approved", "denied", "expired"] as const;

/** States of such a question. */
export const APPROVAL_STATES = ["awaiting_approval", ...APPROVAL_DECISIONS] as const;
export type ApprovalState = (typeof APPROVAL_STATES)[number];

/** The protocols in which people decide about tool calls. */
export const DECISION_CHANNELS = ["api", "mcp", "slack"] as const;
export type DecisionChannel = (typeof DECISION_CHANNELS)[number];

/**
 * The request of a message to the agents of a running session: to read a note, to conclude now, or to go on without the tool
 * calls that are running.
 */
export const STEERING_MODES = ["note", "conclude", "skip_tool"] as const;
export type SteeringMode = (typeof STEERING_MODES)[number];

/** True for a status that a session, stage, execution or timeline event never leaves. */
export function isTerminal(status: SessionStatus | RunStatus | TimelineStatus): status is TerminalStatus {
  return TERMINAL_STATUSES.some((terminal) => terminal === status);
}

/** The parties that ask a session to park: the api for a critical one that waits, or a person. */
export const PARKED_BY = ["priority", "operator"] as const;
export type ParkedBy = (typeof PARKED_BY)[number];

/** The reason why a session was cancelled that an alert ended, and not a person. */
export const INCIDENT_OVER = "cancelled because the incident is over: an alert reported it as resolved";

/** The value for the requester of a scoring that follows the end of a session by itself. */
export const SCORED_BY_ITSELF = "auto";
