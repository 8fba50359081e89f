import { ConversationMessage } from "#shared/generated/llm/v1/llm.ts";
import { terminal } from "../errors/llm-error.ts";
import { pairToolResults } from "./pair-tool-results.ts";

const GO_ON = "Go on.";
const ROLES = new Set(["system", "user", "assistant", "tool"]);

/**
 * A conversation that every provider accepts: the system prompt separate, one result for each tool call, and a last
 * message that is not the model's own.
 */
export interface Conversation {
  /** The system prompt; undefined if it is missing or blank. */
  readonly system: string | undefined;
  readonly messages: readonly ConversationMessage[];
}

/**
 * Checks a request's messages and brings them into that form. Throws TerminalError `invalid_request` for a second
 * system message, an unknown role, or a conversation without content.
 */
export function normaliseConversation(all: readonly ConversationMessage[]): Conversation {
  let system: string | undefined;
  const rest: ConversationMessage[] = [];
  for (const [index, message] of all.entries()) {
    if (!ROLES.has(message.role)) {
      throw terminal(
        "invalid_request",
        `messages[${index}].role is "${message.role}": it must be system, user, assistant or tool`,
      );
    }
    if (message.role !== "system") {
      rest.push(message);
    } else if (system === undefined) {
      system = message.content;
    } else {
      throw terminal("invalid_request", `messages[${index}] is a second system message: one is allowed`);
    }
  }
  const messages = pairToolResults(rest).filter(
    ({ role, content, toolCalls }) => role === "tool" || content.trim() !== "" || toolCalls.length > 0,
  );
  if (messages.length === 0) {
    throw terminal("invalid_request", "messages hold no content: at least one user message is needed");
  }
  // Most providers refuse a request that ends with an assistant message.
  const last = messages.at(-1);
  if (last?.role === "assistant") {
    messages.push(ConversationMessage.fromJSON({ role: "user", content: GO_ON }));
  }
  return { system: system?.trim() === "" ? undefined : system, messages };
}
