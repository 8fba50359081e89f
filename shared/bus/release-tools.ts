import type { Bus } from "#shared/bus/open-bus.ts";
import { SUBJECTS } from "#shared/contracts/subjects.ts";
import { toolReleaseCodec, type ToolRelease } from "#shared/contracts/tool-call.ts";
import { errorMessage } from "#shared/errors.ts";

/** Tells the tool-runners that an execution has ended. Best effort, never throws: they also notice that it makes no calls. */
export function releaseTools(bus: Bus, release: ToolRelease): void {
  try {
    bus.connection.publish(SUBJECTS.toolsRelease, toolReleaseCodec.encode(release));
  } catch (error) {
    bus.log.warn({ execution_id: release.execution_id, error: errorMessage(error) }, "tools not released");
  }
}
