import type { ToolDefinition } from "#shared/generated/llm/v1/llm.ts";
import type { Conversation } from "../../../conversation/normalise-conversation.ts";
import type { LangchainState } from "../langchain-state.ts";

/** What a call wants, in nobody's form yet. */
export interface ChatRequest {
  readonly conversation: Conversation;
  readonly tools: readonly ToolDefinition[];
  /** Neither ask for reasoning nor send any back: for models and servers that know nothing of it. */
  readonly plain: boolean;
}

/** One request in the provider's form, ready to be sent. */
export interface PreparedChat {
  /** What goes with the provider's state; undefined where the provider wants nothing back. */
  readonly state: Omit<LangchainState, "v" | "parts"> | undefined;
  /** Sends it and gives LangChain's chunks. Only aborting the signal closes the request: leaving the loop does not. */
  stream(signal: AbortSignal): Promise<AsyncIterable<unknown>>;
}

/** A chat model at one address, with one credential. */
export interface ChatModel {
  prepare(request: ChatRequest): PreparedChat;
}

/** Where a chat model is and who calls it. */
export interface ChatAddress {
  readonly model: string;
  /** Undefined sends no key at all. */
  readonly apiKey: string | undefined;
  /** Empty for the provider's own. */
  readonly baseUrl: string;
}
