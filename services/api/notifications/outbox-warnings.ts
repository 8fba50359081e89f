import type { SystemWarning } from "../system/system-warnings.ts";
import type { OutboxState } from "./read-outbox-state.ts";

/** Fewer failures in a row happen with every receiver. */
const MANY_FAILURES = 3;

/** What an operator should look at in the outbox. `known` has the destinations of this api's configuration and their addresses. */
export function outboxWarnings(
  states: readonly OutboxState[],
  known: ReadonlyMap<string, string>,
  startedAt: string,
): readonly SystemWarning[] {
  return states.flatMap((state) => {
    const { destination, pending, dead, failures, failing_since, last_error, stopped_address } = state;
    const warning = (
      kind: string,
      message: string,
      details: string,
      created_at = startedAt,
    ): SystemWarning => ({
      id: `notifications:${destination}:${kind}`,
      category: "notifications",
      message,
      details,
      created_at,
    });
    const waiting = `${pending} ${pending === 1 ? "notification waits" : "notifications wait"}`;
    const address = known.get(destination);
    const found: SystemWarning[] = [];
    if (address === undefined) {
      if (pending > 0) {
        const details = `${waiting}. The api's configuration has no such destination, or does not enable it.`;
        found.push(warning("unknown", `notifications to ${destination} are not sent`, details));
      }
    } else if (stopped_address === address) {
      const details = `${waiting}. The receiver answered ${last_error ?? "that it wants none"}. A retry of one of them tries it again.`;
      found.push(warning("stopped", `${destination} wants no notifications any more`, details));
    } else if (failures >= MANY_FAILURES) {
      const details = `${waiting}. The last answer: ${last_error ?? "none"}.`;
      found.push(
        warning("failing", `${destination} takes no notifications`, details, failing_since ?? startedAt),
      );
    }
    if (dead > 0) {
      const details = "GET /api/v1/notifications?state=dead lists them with the reasons.";
      found.push(
        warning("dead", `${dead} of the last day's notifications to ${destination} were given up`, details),
      );
    }
    return found;
  });
}
