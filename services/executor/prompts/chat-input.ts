import type { MessageRole } from "#shared/contracts/statuses.ts";
import type { ContextEvent } from "./format-context.ts";
import type { PromptInput } from "./prompt-input.ts";

/** A question about an ended investigation, with all that came before it. */
export interface ChatInput extends Omit<PromptInput, "alert" | "previous" | "parallel"> {
  /** `react` agents get the tools and the format in writing; to others their tools are bound. */
  readonly style: "react" | "native";
  readonly question: string;
  /** The investigation's timeline rows, in order. */
  readonly investigation: readonly ContextEvent[];
  /** Earlier questions of this chat, in order. */
  readonly history: readonly ChatExchange[];
}

/** One question and everything said in answer to it. */
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

/** A title between two rules, which sets the parts of a chat prompt apart. */
export function chatBanner(title: string): string {
  return `${RULE}\n${title}\n${RULE}`;
}
