import type { Bus } from "#shared/bus/open-bus.ts";
import { SUBJECTS } from "#shared/contracts/subjects.ts";
import { toolCallCancelCodec, type ToolCallCancel } from "#shared/contracts/tool-call.ts";
import { errorMessage } from "#shared/errors.ts";

/** Asks the call's tool-runner to end it. Best effort, never throws: the runner also enforces the call's deadline. */
export function cancelToolCall(bus: Bus, cancel: ToolCallCancel): void {
  try {
    bus.connection.publish(SUBJECTS.toolCancel(cancel.call_id), toolCallCancelCodec.encode(cancel));
  } catch (error) {
    bus.log.warn({ call_id: cancel.call_id, error: errorMessage(error) }, "tool call not cancelled");
  }
}
