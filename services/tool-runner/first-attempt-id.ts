import { toolCallId } from "#shared/contracts/tool-call-id.ts";
import type { ToolCallRequest } from "#shared/contracts/tool-call.ts";

/** The id of a call's first attempt: what the model is shown, and what a person agrees to, does not depend on how many there are. */
export function firstAttemptId({
  call_id,
  execution_id,
  position,
}: Pick<ToolCallRequest, "call_id" | "execution_id" | "position">): string {
  return position === undefined ? call_id : toolCallId(execution_id, position);
}
