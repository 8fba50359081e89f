import { v5 as uuidFrom } from "uuid";
import type { CallPosition } from "#shared/contracts/tool-call.ts";

/** The id of a call by its place in an execution's conversation: the same for every owner, so that the call runs once. */
export function toolCallId(
  executionId: string,
  { iteration, index }: Pick<CallPosition, "iteration" | "index">,
): string {
  return uuidFrom(`tool:${iteration}:${index}`, executionId);
}

/** The id of a call's nth attempt, from 1. */
export function attemptId(callId: string, attempt: number): string {
  return attempt === 1 ? callId : uuidFrom(`attempt:${attempt}`, callId);
}
