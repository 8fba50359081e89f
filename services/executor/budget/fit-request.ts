import type { ConversationMessage, GenerateRequest } from "#shared/generated/llm/v1/llm.ts";
import { safeCut } from "#shared/safe-cut.ts";
import { inputBound } from "./call-bound.ts";

/** The length that a cut text keeps, in code units. */
const LEFT = 200;
const MARK = "\n[The rest was left out: the budget has no room for it.]";

/**
 * The request with at most `maxInput` tokens: results of tools are cut, the newest first, and then the newest turns are left out,
 * because what is kept back for a conclusion has room for all before them. The messages before the first answer and the last one,
 * which asks for the conclusion, stay whole. Null if even they are too large.
 */
export function fitRequest(request: GenerateRequest, maxInput: number): GenerateRequest | null {
  const excess = (messages: readonly ConversationMessage[]) =>
    inputBound({ ...request, messages: [...messages] }) - maxInput;
  let messages = [...request.messages];
  for (const index of [...messages.keys()].slice(afterFirstAnswer(messages), -1).toReversed()) {
    const message = messages[index];
    if (excess(messages) > 0 && message !== undefined && !isAnswer(message)) messages[index] = cut(message);
  }
  while (excess(messages) > 0) {
    const turn = messages.findLastIndex(isAnswer);
    if (turn < 1) return null;
    messages = [...messages.slice(0, turn), ...messages.slice(-1)];
  }
  return { ...request, messages };
}

function afterFirstAnswer(messages: readonly ConversationMessage[]): number {
  const first = messages.findIndex(isAnswer);
  return first < 0 ? messages.length : first + 1;
}

function isAnswer({ role }: ConversationMessage): boolean {
  return role === "assistant";
}

function cut(message: ConversationMessage): ConversationMessage {
  const { content } = message;
  if (content.length <= LEFT + MARK.length) return message;
  return { ...message, content: `${content.slice(0, safeCut(content, LEFT))}${MARK}` };
}
