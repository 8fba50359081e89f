import type { ResolvedAgent, ResolvedChain } from "#shared/contracts/resolved-chain.ts";
import type { ToolDescription } from "#shared/contracts/tool-list.ts";
import type { RankedMemory } from "../core/agent-state.ts";
import type { SessionNonce } from "./untrusted-text.ts";
import type { LoadedSkill } from "./skill-sections.ts";
import type { ParallelResults, StageAnswer } from "./format-context.ts";

/** The alert as submitted. */
export interface AlertInput {
  readonly data: string;
  readonly alertType: string | null;
  readonly runbookUrl: string | null;
  /** The text at the runbook's address, once it was fetched. */
  readonly runbookText?: string;
  /** Why that text could not be fetched. */
  readonly runbookFailure?: string;
  /** The analysis of the session before of the same incident, which fires again; empty if it found nothing. Absent if there was none. */
  readonly formerAnalysis?: string;
  /** The session's nonce. */
  readonly nonce: SessionNonce;
  /** The key of the session's placeholders for masked values; no part of any prompt. */
  readonly maskKey?: string;
}

/** A message to be appended to the conversation. */
export interface PromptMessage {
  readonly role: "system" | "user";
  readonly content: string;
}

/** The offer of an agent's servers, and what it lacks. */
export interface ServerOffer {
  /** Those that offer tools. */
  readonly servers: readonly string[];
  /** Those whose tools are not known, with the reason in words of this program. */
  readonly unavailable: readonly { readonly server: string; readonly reason: string }[];
  /** The tools chosen for the agent that their server does not offer: "server.tool". */
  readonly missing: readonly string[];
  /** The tools of whose definitions a call has only those that were found; empty where all definitions fit into a call. */
  readonly searchable: readonly ToolDescription[];
}

/** The input of an agent's first messages. It has no ids, and of times only the text of `context`, so the same input gives the same prompt. */
export interface PromptInput {
  readonly agent: Pick<
    ResolvedAgent,
    | "name"
    | "type"
    | "mcp_servers"
    | "custom_instructions"
    | "skills"
    | "sub_agents"
    | "conclusion"
    | "quoted"
  >;
  readonly chain: Pick<ResolvedChain, "mcp_server_instructions" | "default_runbook">;
  readonly alert: AlertInput;
  /** The answers of all earlier stages, in order. */
  readonly previous: readonly StageAnswer[];
  /** For a synthesis: the results of the stage's parallel agents; null for other agents. */
  readonly parallel: ParallelResults | null;
  /** The tools the agent may call. Only ReAct prompts list them; for other agents the LLM call carries them. */
  readonly tools: readonly ToolDescription[];
  /** The skills that the agent has from its start, with their texts; absent if it has none. */
  readonly skills?: readonly LoadedSkill[];
  /** Memories, best first; absent if there are none. */
  readonly memories?: readonly RankedMemory[];
  /** The task of a sub-agent, instead of an alert; null or absent for other agents. */
  readonly task?: string | null;
  /** Null for an agent without a listing. */
  readonly offer: ServerOffer | null;
  /** The text of `contextBlock` about the present time; null in a replay of a session without it. */
  readonly context: string | null;
}
