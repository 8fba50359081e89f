import type { ToolDescription } from "#shared/contracts/tool-list.ts";
import type { ResolvedAgent, ResolvedChain } from "#shared/contracts/resolved-chain.ts";
import type { LlmInteractionType, TerminalStatus } from "#shared/contracts/statuses.ts";
import type { IterationState } from "#shared/database/entities/agent-execution.ts";
import type { Message } from "#shared/database/entities/message.ts";
import type { StageAnswer } from "../stage-answers.ts";
import type { ParallelResults } from "../prompts/format-context.ts";

/** All a strategy may look at: what is stored. */
export interface AgentState {
  readonly agent: ResolvedAgent;
  readonly chain: Pick<ResolvedChain, "mcp_server_instructions" | "default_runbook">;
  readonly alert: AlertInput;
  /** The answers of all earlier stages, in order. */
  readonly previous: readonly StageAnswer[];
  /** What the agents came to whose results this one combines; null for all others, and once the conversation is open. */
  readonly parallel: ParallelResults | null;
  /** The tools the agent's servers listed; null until they were asked. */
  readonly tools: readonly ToolDescription[] | null;
  /** The conversation so far, by sequence number. */
  readonly messages: readonly Message[];
  readonly iteration: IterationState;
}

/** What the alert says, as submitted. */
export interface AlertInput {
  readonly data: string;
  readonly alertType: string | null;
  readonly runbookUrl: string | null;
}

/** A message to be appended to the conversation. */
export interface NewMessage {
  readonly role: "system" | "user";
  readonly content: string;
}

/** A tool call the model asked for. */
export interface RequestedCall {
  /** Position within the iteration, from 0. */
  readonly index: number;
  /** "server.tool" as the model wrote it. */
  readonly name: string;
  /** As the model wrote them. */
  readonly rawArguments: string;
  /** The provider's id of a structured call, which the result must carry; null for a call written as text. */
  readonly toolCallId: string | null;
}

/** How a reply's text becomes timeline rows: see `record/reply-streams.ts`. */
export type ReplyStyle = "final-answer" | "native" | "react";

/** What an execution does next. */
export type AgentStep =
  /** Ask the agent's servers which tools they offer. */
  | { readonly kind: "list-tools"; readonly serverIds: readonly string[] }
  /** Store the first messages. */
  | { readonly kind: "open-conversation"; readonly messages: readonly NewMessage[] }
  /** Tell the model something before it is asked again; `concluding` ends the iterations. */
  | { readonly kind: "tell"; readonly content: string; readonly concluding: boolean }
  | CallLlm
  | { readonly kind: "run-tool"; readonly call: RequestedCall; readonly asObservation: boolean }
  | Conclude;

/** Ask the model. */
export interface CallLlm {
  readonly kind: "call-llm";
  readonly interaction: LlmInteractionType;
  readonly style: ReplyStyle;
  /** Bound to the call; a strategy that writes tools into its prompt binds none. */
  readonly tools: readonly ToolDescription[];
  /** What the model is told after a failed call, before it is asked again; null where it is not. */
  readonly afterFailure: ((error: string) => string) | null;
  /** Whether a reply with thinking but without text is an answer all the same. */
  readonly thinkingMayAnswer: boolean;
}

/** The execution is over. */
export interface Conclude {
  readonly kind: "conclude";
  readonly status: TerminalStatus;
  readonly errorMessage: string | null;
  readonly errorCode: string | null;
  /** An answer that is not yet in the timeline as `final_analysis`. */
  readonly answer: string | null;
}

/** A strategy: from what is stored to the next step, without side effects or memory. */
export type Strategy = (state: AgentState) => AgentStep;
