import type { IterationStrategy } from "#shared/contracts/resolved-chain.ts";
import type { RunStatus, TimelineEventType } from "#shared/contracts/statuses.ts";
import type { TimelineEvent } from "#shared/database/tables/timeline-events.ts";
import { checkedQuotes, type JudgedConclusion } from "./checked-quotes.ts";
import { type SessionNonce, frame, untrustedText } from "./untrusted-text.ts";

/** The final answer of one stage. */
export interface StageAnswer {
  readonly stageName: string;
  readonly answer: string;
  /** Of the agent that gave it; no part of a prompt. */
  readonly executionId?: string;
  /** The beginning of the names of its results; absent unless they are quoted. */
  readonly handle?: string;
}

/** The columns of a timeline row that a prompt shows. */
export type ContextEvent = Pick<TimelineEvent, "event_type" | "status" | "content" | "metadata">;

/** The work of one of a stage's parallel agents, for the synthesis of that stage. */
export interface AgentResult {
  /** From 1, as in the execution's row. */
  readonly index: number;
  readonly name: string;
  readonly provider: string;
  readonly strategy: IterationStrategy;
  readonly status: RunStatus;
  /** The beginning of its results' names, such as "db-agent#2"; absent unless the synthesis quotes them. */
  readonly handle?: string;
  /** What it concluded as data; absent or null if nothing. */
  readonly conclusion?: JudgedConclusion | null;
  /** Null if the agent completed. */
  readonly errorMessage: string | null;
  /** Its timeline rows by sequence number. */
  readonly events: readonly ContextEvent[];
}

export interface ParallelResults {
  readonly stageName: string;
  readonly agents: readonly AgentResult[];
}

/** For the agents of a later stage: only the final answer of each earlier stage. */
export function formatConclusions(previous: readonly StageAnswer[], nonce: SessionNonce): string {
  return previous
    .map(
      ({ stageName, answer, handle }) =>
        `### Stage: ${stageName}${handle === undefined ? "" : `\n\nResults are named ${handle}/r1 and so on.`}\n\n${untrustedText(nonce, "STAGE_CONTEXT", answer)}`,
    )
    .join("\n\n");
}

/** For the synthesis of a stage: each agent's name, model provider, status and full transcript. */
export function formatParallelResults({ stageName, agents }: ParallelResults, nonce: SessionNonce): string {
  const completed = agents.filter(({ status }) => status === "completed").length;
  const heading = `### Parallel Investigation: ${stageName}\n\n${completed}/${agents.length} agents completed.`;
  return [heading, ...agents.map((agent) => formatAgentResult(agent, nonce))].join("\n\n");
}

function formatAgentResult(
  { index, name, provider, strategy, status, errorMessage, events, handle, conclusion = null }: AgentResult,
  nonce: SessionNonce,
): string {
  const transcript = formatTranscript(events, nonce, handle);
  return [
    `#### Agent ${index}: ${name} (${provider}, ${strategy})`,
    `**Status:** ${status}`,
    ...(errorMessage === null ? [] : [untrustedText(nonce, "ERROR_MESSAGE", errorMessage)]),
    transcript === "" ? "This agent left nothing behind." : transcript,
    ...checkedQuotes(conclusion, nonce),
  ].join("\n\n");
}

/**
 * The completed events of an execution, in the order given and untruncated. Open and revoked events are omitted. Each
 * event has a frame, so that a tool's output cannot pass for an analysis. Empty without completed events.
 */
function formatTranscript(
  events: readonly ContextEvent[],
  nonce: SessionNonce,
  handle: string | undefined,
): string {
  let results = 0;
  const named = ({ event_type }: ContextEvent) => {
    if (event_type !== "tool_result" || handle === undefined) return "";
    results += 1;
    return ` ${handle}/r${results}`;
  };
  const parts = events
    .filter(({ status }) => status === "completed")
    .map((event) => formatEvent(event, nonce, named(event)));
  if (parts.length === 0) return "";
  return frame(nonce, "STAGE_CONTEXT", `\n${parts.join("\n\n")}\n`);
}

function formatEvent(event: ContextEvent, nonce: SessionNonce, handle: string): string {
  const label = LABELS[event.event_type];
  const text = event.event_type === "llm_tool_call" ? toolCallText(event) : event.content;
  const heading = isError(event)
    ? `### ${label}${handle}\n\nThe tool reported an error.`
    : `### ${label}${handle}`;
  return `${heading}\n\n${untrustedText(nonce, label.toUpperCase().replaceAll(" ", "_"), text)}`;
}

function isError({ event_type, metadata }: ContextEvent): boolean {
  return (
    event_type === "tool_result" && metadata !== null && "is_error" in metadata && metadata.is_error === true
  );
}

const LABELS: Readonly<Record<TimelineEventType, string>> = {
  llm_thinking: "LLM Thinking",
  llm_response: "LLM Response",
  llm_tool_call: "Tool Call",
  tool_result: "Tool Result",
  mcp_tool_call: "MCP Tool Call",
  mcp_tool_summary: "MCP Tool Summary",
  error: "Error",
  user_question: "User Question",
  executive_summary: "Executive Summary",
  final_analysis: "Analysis",
  code_execution: "Code Execution",
  google_search_result: "Google Search Result",
  url_context_result: "URL Context Result",
  provider_fallback: "LLM Provider Change",
  skill_loaded: "Skill Loaded",
  task_assigned: "Task",
  memory_injected: "Notes",
};

/** A tool call as text: the tool's name, if the row has it, then the arguments as the model wrote them. */
export function toolCallText({ content, metadata }: Pick<TimelineEvent, "content" | "metadata">): string {
  if (metadata === null || !("tool_name" in metadata)) return content;
  const { tool_name: tool } = metadata;
  if (typeof tool !== "string" || tool === "") return content;
  return content === "" ? tool : `${tool}\n${content}`;
}
