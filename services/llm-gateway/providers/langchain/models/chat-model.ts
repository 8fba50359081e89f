import type { ToolDefinition } from "#shared/generated/llm/v1/llm.ts";
import type { Conversation } from "../../../conversation/normalise-conversation.ts";
import type { LangchainState } from "../langchain-state.ts";

/** A request in the gateway's own form. */
interface ChatRequest {
  readonly conversation: Conversation;
  readonly tools: readonly ToolDefinition[];
  /** True to neither ask for reasoning nor send any back, for models and servers that do not support it. */
  readonly plain: boolean;
}

/** One request in the provider's form. */
export interface PreparedChat {
  /** What to store in the answer's provider state; undefined if the provider wants nothing back. */
  readonly state: Omit<LangchainState, "v" | "parts"> | undefined;
  /**
   * Sends the request; resolves with LangChain's chunks. Only aborting the signal closes it, leaving the loop does not.
   */
  stream(signal: AbortSignal): Promise<AsyncIterable<unknown>>;
}

/** A chat model at one address, with one credential. */
export interface ChatModel {
  prepare(request: ChatRequest): PreparedChat;
}

/** What identifies a chat model and its caller. */
export interface ChatAddress {
  readonly model: string;
  /** Undefined to send no key. */
  readonly apiKey: string | undefined;
  /** The header of the key, in lower case, if it is not sent as a bearer token or where the address does not tell. */
  readonly keyHeader?: string;
  /** Empty for the provider's default. */
  readonly baseUrl: string;
  /** The longest answer; undefined for the provider's own limit. */
  readonly maxOutputTokens: number | undefined;
}
