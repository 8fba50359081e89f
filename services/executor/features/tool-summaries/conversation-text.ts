import { safeCut } from "#shared/safe-cut.ts";
import type { StoredMessage } from "../../state/agent-memory.ts";

const LEFT_OUT = "[Earlier messages are left out.]";

/**
 * An agent's conversation as text, without its instructions: the newest messages that fit `maxChars`, in their order; of the
 * first of them the start, if no more fits.
 */
export function conversationText(messages: readonly StoredMessage[], maxChars: number): string {
  const shown: string[] = [];
  let room = maxChars;
  const said = messages.filter(({ role }) => role !== "system").toReversed();
  for (const message of said) {
    const text = messageText(message);
    if (text.length > room) {
      const start = text.slice(0, safeCut(text, Math.max(0, room)));
      if (start !== "") shown.push(`${start}…`);
      shown.push(LEFT_OUT);
      break;
    }
    shown.push(text);
    room -= text.length;
  }
  return shown.toReversed().join("\n\n");
}

function messageText({ role, content, tool_calls, tool_name }: StoredMessage): string {
  const calls = (tool_calls ?? []).map(({ name, arguments: json }) => `Calls ${name} with ${json}`);
  const author = role === "tool" ? `Result of ${tool_name ?? "a tool"}` : AUTHORS[role];
  return [`${author}:`, ...(content === "" ? [] : [content]), ...calls].join("\n");
}

const AUTHORS = { system: "Instructions", user: "User", assistant: "Investigator" } as const;
