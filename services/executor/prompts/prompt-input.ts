import type { ResolvedAgent, ResolvedChain } from "#shared/contracts/resolved-chain.ts";
import type { ToolDescription } from "#shared/contracts/tool-list.ts";
import type { ParallelResults, StageAnswer } from "./format-context.ts";

/** The alert as submitted. */
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

/** All that an agent's first messages are made of: no times and no ids, so the same input gives the same prompt. */
export interface PromptInput {
  readonly agent: Pick<ResolvedAgent, "name" | "mcp_servers" | "custom_instructions">;
  readonly chain: Pick<ResolvedChain, "mcp_server_instructions" | "default_runbook">;
  readonly alert: AlertInput;
  /** The answers of all earlier stages, in order. */
  readonly previous: readonly StageAnswer[];
  /** What the agents of its own stage came to, for the one that combines their results; null for all others. */
  readonly parallel: ParallelResults | null;
  /** What the agent may call. Only ReAct writes them into the prompt; others get them bound to the call. */
  readonly tools: readonly ToolDescription[];
}
