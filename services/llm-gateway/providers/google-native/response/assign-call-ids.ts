import { createHash } from "node:crypto";
import type { GenerateRequest } from "#shared/generated/llm/v1/llm.ts";

interface IndexedCall {
  /** Among the answer's calls, from 0. */
  readonly index: number;
  readonly name: string;
  /** JSON text. */
  readonly arguments: string;
}

/** Returns the id of a tool call: Gemini's, if it gave a usable one, else a derived one. */
export type AssignCallId = (providerId: string | undefined, call: IndexedCall) => string;

/** Ids are stored, displayed and compared, so arbitrary text from a model is not accepted. */
const USABLE = /^[\w.:-]{1,128}$/u;

/**
 * Assigns ids to the tool calls of one answer. Gemini 2.5 gives none; then the id is a hash of session, execution,
 * number of the answer in the conversation, index and content, so the same answer has the same ids on every replica. An
 * id that the conversation already uses is not assigned again, because results refer to their call by id.
 */
export function callIdAssigner({ executionId, sessionId, messages }: GenerateRequest): AssignCallId {
  const taken = new Set(messages.flatMap(({ toolCalls }) => toolCalls.map(({ id }) => id)));
  const answers = messages.filter(({ role }) => role === "assistant").length;
  return (providerId, { index, name, arguments: json }) => {
    const isUsable = providerId !== undefined && USABLE.test(providerId) && !taken.has(providerId);
    const id = isUsable
      ? providerId
      : `call_${createHash("sha256")
          .update(JSON.stringify([sessionId, executionId, answers, index, name, json]))
          .digest("hex")
          .slice(0, 24)}`;
    taken.add(id);
    return id;
  };
}
