import { ConversationMessage } from "#shared/generated/llm/v1/llm.ts";
import { terminal } from "../errors/llm-error.ts";
import { pairToolResults } from "./pair-tool-results.ts";

const GO_ON = "Go on.";
const ROLES = new Set(["system", "user", "assistant", "tool"]);

/**
 * A conversation that any provider takes: the system's part apart, a result for every tool call, and never the
 * model's own words at its end.
 */
export interface Conversation {
  /** Undefined where there is none, or an empty one. */
  readonly system: string | undefined;
  readonly messages: readonly ConversationMessage[];
}

/**
 * Checks and orders the whole conversation. Throws TerminalError `invalid_request` for a second system message, an
 * unknown role, or a conversation without any content.
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
  // Most providers refuse to speak twice in a row.
  const last = messages.at(-1);
  if (last?.role === "assistant") {
    messages.push(ConversationMessage.fromJSON({ role: "user", content: GO_ON }));
  }
  return { system: system?.trim() === "" ? undefined : system, messages };
}
