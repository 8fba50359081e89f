import type { RunStatus, StageType } from "#shared/contracts/statuses.ts";
import type { ContextEvent } from "./format-context.ts";
import type { PromptInput } from "./prompt-input.ts";

/** A question about a finished investigation, with the investigation and the chat so far. */
export interface ChatInput extends Omit<PromptInput, "previous" | "parallel">, ChatContext {
  /** `react` prompts describe the tools and the format; `native` ones do not, because the LLM call carries the tools. */
  readonly style: "react" | "native";
}

/** The subject of a question. */
export interface ChatContext {
  readonly question: string;
  /** The stages of the investigation, in order. */
  readonly stages: readonly InvestigatedStage[];
  readonly executiveSummary: string | null;
  /** Earlier questions of this chat, in order. */
  readonly history: readonly ChatExchange[];
  readonly omitted: OmittedRows;
}

/** How many rows were left out because the model could not hold them. */
export interface OmittedRows {
  readonly thoughts: number;
  readonly results: number;
  readonly steps: number;
}

/** A stage of the investigation with what its agents did. */
export interface InvestigatedStage {
  readonly name: string;
  readonly type: StageType;
  readonly status: RunStatus;
  /** Without the synthesis. */
  readonly agents: readonly InvestigatingAgent[];
  /** Combined the agents' results; null where none did. */
  readonly synthesis: InvestigatingAgent | null;
}

export interface InvestigatingAgent {
  readonly name: string;
  readonly backend: string;
  readonly model: string;
  readonly status: RunStatus;
  /** Null if it completed. */
  readonly errorMessage: string | null;
  /** Its completed timeline rows, in order, without those that were left out. */
  readonly events: readonly ContextEvent[];
  /** The agents that it started, in that order. */
  readonly subAgents: readonly InvestigatingAgent[];
}

/** One question and what followed it. */
export interface ChatExchange {
  readonly question: string;
  readonly author: string;
  readonly status: RunStatus;
  /** The completed timeline rows after the question, in order. */
  readonly events: readonly ContextEvent[];
  /** The agents that the answering one started, in that order. */
  readonly subAgents: readonly InvestigatingAgent[];
}

const RULE = "═".repeat(79);

/** A title between two rules; separates the parts of a chat prompt. */
export function chatBanner(title: string): string {
  return `${RULE}\n${title}\n${RULE}`;
}
