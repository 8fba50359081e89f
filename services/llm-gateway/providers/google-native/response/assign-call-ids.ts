import { createHash } from "node:crypto";
import type { GenerateRequest } from "#shared/generated/llm/v1/llm.ts";

/** What a tool call asks for and its place among the answer's calls, from 0. */
interface CallPlace {
  readonly index: number;
  readonly name: string;
  /** JSON text. */
  readonly arguments: string;
}

/** Gives the id a tool call is handed out under; Gemini's own, where it gave a usable one. */
export type AssignCallId = (providerId: string | undefined, place: CallPlace) => string;

/** Whatever a model may name a call, the id is stored, shown and compared. */
const USABLE = /^[\w.:-]{1,128}$/u;

/**
 * Ids for the tool calls of one answer. Gemini 2.5 gives none: then they derive from execution, number of the call in
 * the conversation, place and content, so that the same answer gives the same ids on every replica. An id that the
 * conversation has already is not given a second time, because results are told apart by it.
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
