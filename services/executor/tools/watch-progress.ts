import type { Bus } from "#shared/bus/open-bus.ts";
import { subscribe } from "#shared/bus/subscribe.ts";
import { SUBJECTS } from "#shared/contracts/subjects.ts";
import { toolCallProgressCodec, type ToolCallProgress } from "#shared/contracts/tool-call.ts";

/**
 * Calls `report` with what the tool-runner says about one attempt of a call, until it is disposed. It is subscribed before
 * anything that is sent afterwards on this connection. `report` must not throw.
 */
export function watchProgress(
  bus: Bus,
  { executionId, callId }: { readonly executionId: string; readonly callId: string },
  report: (progress: ToolCallProgress) => void,
): Disposable {
  const subject = SUBJECTS.toolProgress(executionId);
  const subscription = subscribe(bus, subject, toolCallProgressCodec, (progress) => {
    if (progress.call_id === callId) report(progress);
  });
  return { [Symbol.dispose]: () => subscription.unsubscribe() };
}
