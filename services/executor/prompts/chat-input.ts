import type { MessageRole } from "#shared/contracts/statuses.ts";
import type { ContextEvent } from "./format-context.ts";
import type { SessionNonce } from "./session-nonce.ts";
import type { PromptInput } from "./prompt-input.ts";

/** A question about a finished investigation, with the investigation and the chat so far. */
export interface ChatInput extends Omit<PromptInput, "alert" | "previous" | "parallel"> {
  /** `react` prompts describe the tools and the format; `native` ones do not, because the LLM call carries the tools. */
  readonly style: "react" | "native";
  /** Of the session. */
  readonly nonce: SessionNonce;
  readonly question: string;
  /** The investigation's timeline rows, in order. */
  readonly investigation: readonly ContextEvent[];
  /** Earlier questions of this chat, in order. */
  readonly history: readonly ChatExchange[];
}

/** One question and all messages that followed it. */
export interface ChatExchange {
  readonly question: string;
  readonly messages: readonly {
    readonly role: Exclude<MessageRole, "system">;
    readonly content: string;
    /** Only for role `tool`. */
    readonly toolName: string | null;
  }[];
}

const RULE = "═".repeat(79);

/** A title between two rules; separates the parts of a chat prompt. */
export function chatBanner(title: string): string {
  return `${RULE}\n${title}\n${RULE}`;
}
