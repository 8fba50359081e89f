import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import type { ToolDescription } from "#shared/contracts/tool-list.ts";
import type { ResolvedAgent, ResolvedChain, ResolvedProvider } from "#shared/contracts/resolved-chain.ts";
import type { LlmInteractionType, TerminalStatus } from "#shared/contracts/statuses.ts";
import type { IterationState, PendingSummary } from "#shared/contracts/iteration-state.ts";
import { rowMembers } from "#shared/database/tables/row-members.ts";
import { INVESTIGATION_MEMORIES } from "#shared/database/tables/memories.ts";
import type { JudgedConclusion } from "../prompts/checked-quotes.ts";
import type { JudgedInvestigation } from "../prompts/build-judge-messages.ts";
import type { ChatContext } from "../prompts/chat-input.ts";
import type { ParallelResults, StageAnswer } from "../prompts/format-context.ts";
import type { FailedCall } from "../prompts/iteration-prompts.ts";
import type { SubAgentState } from "../state/session-state.ts";
import type { Evidence } from "../state/evidence.ts";
import type { SteeringMessage } from "../state/steering.ts";
import type { AlertInput, PromptMessage, ServerOffer } from "../prompts/prompt-input.ts";
import type { LoadedSkill } from "../prompts/skill-sections.ts";
import type { StoredMessage } from "../state/agent-memory.ts";

/** A memory from an earlier session. */
export const RankedMemory = Type.Object({
  ...rowMembers(INVESTIGATION_MEMORIES, "memory_id", "content", "category", "valence"),
  ...rowMembers(INVESTIGATION_MEMORIES, "confidence", "alert_type"),
});
export type RankedMemory = Static<typeof RankedMemory>;

const TextOrNull = Type.Union([Type.String(), Type.Null()]);
/** An earlier session, as an agent of another one gets it. */
export const EarlierSession = Type.Object({
  session_id: Type.String(),
  alert_type: TextOrNull,
  created: Type.String(),
  alert: Type.String(),
  alert_chars: Type.Integer(),
  conclusion: TextOrNull,
  /** Oldest first. */
  exchanges: Type.Array(Type.Object({ question: Type.String(), answer: TextOrNull })),
});
export type EarlierSession = Static<typeof EarlierSession>;

/** The judgement of a session. */
export interface JudgedScore {
  readonly total_score: number;
  readonly score_analysis: string;
  readonly failure_tags: readonly string[];
  /** Null until the judge has written it. */
  readonly tool_improvement_report: string | null;
}

/** The input of a controller: only what is stored. */
export interface AgentState {
  /** `llm_provider` is the one in use, `fallback_providers` those that can still take over. */
  readonly agent: ResolvedAgent;
  readonly chain: Pick<
    ResolvedChain,
    | "mcp_server_instructions"
    | "mcp_server_result_tokens"
    | "mcp_server_summaries"
    | "default_runbook"
    | "tool_policy"
    | "approval_timeout_ms"
    | "memory"
  >;
  readonly alert: AlertInput;
  /** The answers of all earlier stages, in order. */
  readonly previous: readonly StageAnswer[];
  /** The results that a synthesis combines; null for other agents, and once the conversation is open. */
  readonly parallel: ParallelResults | null;
  /** The skills that the agent has from its start, with their texts; only while the conversation is not open. */
  readonly skills: readonly LoadedSkill[];
  /** Memories, best first; only before the message that has them is stored. */
  readonly memories: readonly RankedMemory[];
  /** The text about the present time; null once the conversation is open, and in a replay of a session without one. */
  readonly context: string | null;
  /** The question that a chat agent answers; null for other agents, and once the conversation is open. */
  readonly chat: ChatContext | null;
  /** The investigation that a judge scores; null for other agents, and once the conversation is open. */
  readonly judged: JudgedInvestigation | null;
  /** What that concluded as data; absent or null if it did not, and where neither a score nor lessons are due. */
  readonly checked?: JudgedConclusion | null;
  /** The tools listed by the agent's servers, and the built-in ones; null before the listing. */
  readonly tools: readonly ToolDescription[] | null;
  /** Null before the listing. */
  readonly offer: ServerOffer | null;
  /** The conversation so far, ordered by sequence number. */
  readonly messages: readonly StoredMessage[];
  readonly iteration: IterationState;
  /** Messages of people that the agent has not read, in their order. */
  readonly steering: readonly SteeringMessage[];
  /** The alerts of its incident that it has not read; null if none but the session's own has arrived. */
  readonly evidence: Evidence | null;
  /** The task of a sub-agent; null or absent for other agents. */
  readonly task?: string | null;
  /** The sub-agents that the agent has started, in this order; absent for none. */
  readonly subAgents?: readonly SubAgentState[];
  /** The version of the session's sub-agents before they were read. */
  readonly subAgentsVersion?: number;
  /** The agent has waited for its sub-agents as long as it may. */
  readonly isBudgetOver?: boolean;
}

/** A tool call requested by the model. */
export interface RequestedCall {
  /** Position within the iteration, from 0. */
  readonly index: number;
  /** "server.tool" as the model wrote it. */
  readonly name: string;
  /** The arguments as the model wrote them. */
  readonly rawArguments: string;
  /** The provider's id of a structured call, which its result must carry; null for a call written as text. */
  readonly toolCallId: string | null;
}

/** How a reply's text becomes timeline rows; see `llm/perform-llm-call.ts`. */
export type ReplyStyle = "final-answer" | "native" | "react";

/** The next step of an execution. */
export type AgentStep =
  /** Request the tools of the agent's servers. */
  | { readonly kind: "list-tools"; readonly serverIds: readonly string[] }
  /** Store the first messages. */
  | { readonly kind: "open-conversation"; readonly messages: readonly PromptMessage[] }
  /** Store a user message, such as feedback; `concluding` also ends the iterations. */
  | { readonly kind: "append-user-message"; readonly content: string; readonly concluding: boolean }
  /** Store the question about the lessons of a judge; its score is known from now on. */
  | { readonly kind: "ask-for-lessons"; readonly content: string; readonly score: JudgedScore }
  | CallLlm
  | ChangeProvider
  | RunTool
  /** Let a model summarize a large result of the last answer's calls. */
  | { readonly kind: "summarize-result"; readonly result: PendingSummary }
  /** Ask the agent for its conclusion; `answerAt` is the message with the answer, where the timeline does not have it. */
  | { readonly kind: "ask-for-conclusion"; readonly answerAt?: number }
  /** Check the conclusion in a reply; null if there was no reply. */
  | { readonly kind: "check-conclusion"; readonly text: string | null }
  /** Give the agent the messages of people. */
  | { readonly kind: "deliver-steering"; readonly messages: readonly SteeringMessage[] }
  /** Give the agent the alerts that have joined its incident. */
  | { readonly kind: "deliver-evidence"; readonly evidence: Evidence }
  /** Give the agent the results of sub-agents that have ended. */
  | { readonly kind: "deliver-results"; readonly subAgents: readonly SubAgentState[] }
  /** Ask sub-agents to stop, because the agent ends. */
  | { readonly kind: "cancel-sub-agents"; readonly subAgents: readonly SubAgentState[] }
  /** Nothing can be done until a sub-agent ends. */
  | { readonly kind: "wait-for-sub-agents" }
  | Finish;

/** Call the model. */
export interface CallLlm {
  readonly kind: "call-llm";
  readonly interaction: LlmInteractionType;
  readonly style: ReplyStyle;
  /** Tools bound to the call; none if the prompt describes them. */
  readonly tools: readonly ToolDescription[];
  /** The user message stored after a failed call; null if none is. */
  readonly afterFailure: ((failure: FailedCall) => string) | null;
  /** Whether the thinking of a reply without text counts as its answer. */
  readonly thinkingMayAnswer: boolean;
  /** Sub-agents are at work: a reply without tool calls is no answer yet. */
  readonly isInterim?: true;
}

/** A provider that can take over, and how many places after the one in use it stands in the agent's list. */
export interface Candidate {
  readonly provider: ResolvedProvider;
  readonly distance: number;
}

/** Continue with another of the agent's providers. */
export interface ChangeProvider {
  readonly kind: "change-provider";
  readonly next: Candidate;
  /** Why the one in use is left, for people. */
  readonly reason: string;
  readonly errorCode: string;
  readonly errorRetryable: boolean;
}

/** Run one tool call. */
export interface RunTool {
  readonly kind: "run-tool";
  readonly call: RequestedCall;
  /** Calls after it that may run at the same time. */
  readonly beside: readonly RequestedCall[];
  /** True if the result goes into a user message as an observation, false if it becomes a tool message. */
  readonly asObservation: boolean;
}

/** End the execution. */
interface Finish {
  readonly kind: "finish";
  readonly status: TerminalStatus;
  readonly errorMessage: string | null;
  readonly errorCode: string | null;
  /** An answer that is not yet in the timeline as `final_analysis`. */
  readonly answer: string | null;
}

export type StepKind = AgentStep["kind"];
export type StepOf = { readonly [K in StepKind]: Extract<AgentStep, { readonly kind: K }> };

/** A controller maps the stored state to the next step, without side effects or memory. */
export type Controller = (state: AgentState) => AgentStep;

/** Ends the execution as completed; `answer` if the timeline does not show it as `final_analysis` yet. */
export function completed(answer: string | null): Finish {
  return { kind: "finish", status: "completed", errorMessage: null, errorCode: null, answer };
}

/** Ends the execution as not completed, with the code of the last failure. */
export function failed(
  { iteration }: AgentState,
  errorMessage: string,
  status: Exclude<TerminalStatus, "completed"> = "failed",
): Finish {
  return { kind: "finish", status, errorMessage, errorCode: iteration.last_error_code, answer: null };
}
