import type { Bus } from "#shared/bus/open-bus.ts";
import { SUBJECTS } from "#shared/contracts/subjects.ts";
import { toolCallProgressCodec, type ToolCallProgress } from "#shared/contracts/tool-call.ts";

/** Publishes the progress of a call of an execution. Does nothing while disconnected: the next one says more. */
export function publishProgress(bus: Bus, executionId: string, progress: ToolCallProgress): void {
  if (bus.connection.isClosed()) return;
  bus.connection.publish(SUBJECTS.toolProgress(executionId), toolCallProgressCodec.encode(progress));
}
