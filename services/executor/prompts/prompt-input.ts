import type { ResolvedAgent, ResolvedChain } from "#shared/contracts/resolved-chain.ts";
import type { ToolDescription } from "#shared/contracts/tool-list.ts";
import type { SessionNonce } from "./session-nonce.ts";
import type { ParallelResults, StageAnswer } from "./format-context.ts";

/** The alert as submitted. */
export interface AlertInput {
  readonly data: string;
  readonly alertType: string | null;
  readonly runbookUrl: string | null;
  /** Of the session. */
  readonly nonce: SessionNonce;
}

/** A message to be appended to the conversation. */
export interface NewMessage {
  readonly role: "system" | "user";
  readonly content: string;
}

/** The input of an agent's first messages. It has no times and no ids, so the same input gives the same prompt. */
export interface PromptInput {
  readonly agent: Pick<ResolvedAgent, "name" | "mcp_servers" | "custom_instructions">;
  readonly chain: Pick<ResolvedChain, "mcp_server_instructions" | "default_runbook">;
  readonly alert: AlertInput;
  /** The answers of all earlier stages, in order. */
  readonly previous: readonly StageAnswer[];
  /** For a synthesis: the results of the stage's parallel agents; null for other agents. */
  readonly parallel: ParallelResults | null;
  /** The tools the agent may call. Only ReAct prompts list them; for other agents the LLM call carries them. */
  readonly tools: readonly ToolDescription[];
}
