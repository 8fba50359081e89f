import { randomInt } from "node:crypto";
import {
  attemptId,
  toolCallId,
  MAX_RESULT_BYTES,
  type ToolCallRequest,
} from "#shared/contracts/tool-call.ts";
import type { ClaimedSession } from "./tool-fixture.ts";

/**
 * A request for a call in the answer of the fixture's execution, as its executor makes it. Each is another attempt, so that each has an
 * id of its own. Its arguments contain that id, by which the tools' call log is searched.
 */
export function toolCallRequest(
  { sessionId, executionId, epoch }: ClaimedSession,
  name: string,
  more: Partial<ToolCallRequest> = {},
): ToolCallRequest {
  const { position = { iteration: 1, index: 0, attempt: randomInt(2, 2 ** 31) } } = more;
  const call_id = attemptId(toolCallId(executionId, position), position.attempt);
  return {
    call_id,
    session_id: sessionId,
    execution_id: executionId,
    epoch,
    position,
    name,
    arguments: `{"id":"${call_id}"}`,
    timeout_ms: 60_000,
    max_result_chars: MAX_RESULT_BYTES,
    ...more,
  };
}
