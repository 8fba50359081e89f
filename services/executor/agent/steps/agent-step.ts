import type { ResolvedAgent } from "#shared/contracts/resolved-chain.ts";
import type { LlmInteractionType, TerminalStatus, TimelineEventType } from "#shared/contracts/statuses.ts";
import type { IterationState } from "#shared/database/entities/agent-execution.ts";
import type { Message } from "#shared/database/entities/message.ts";
import type { StageAnswer } from "../../next-session-step.ts";

/** All a strategy may look at: what is stored. */
export interface AgentState {
  readonly agent: ResolvedAgent;
  readonly alert: AlertInput;
  /** The answers of all earlier stages, in order. */
  readonly previous: readonly StageAnswer[];
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

/** What an execution does next. */
export type AgentStep =
  /** Store the first messages. */
  | { readonly kind: "open-conversation"; readonly messages: readonly NewMessage[] }
  /** Ask the model; its text streams into a timeline event of type `textAs`. */
  | {
      readonly kind: "call-llm";
      readonly interaction: LlmInteractionType;
      readonly textAs: TimelineEventType;
    }
  /** The execution is over; its answer, if there is one, already stands in the timeline. */
  | {
      readonly kind: "conclude";
      readonly status: TerminalStatus;
      readonly errorMessage: string | null;
      readonly errorCode: string | null;
    };

/** A strategy: from what is stored to the next step, without side effects or memory. */
export type Strategy = (state: AgentState) => AgentStep;
